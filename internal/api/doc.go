// Package api owns what travels between the control plane, the agents, the
// consoles and REST clients: wire types, paths and the error body. Fields are
// plain strings, so that a row whose stored value is broken can still be shown;
// handlers turn them into words, which is where syntax is checked.
package api
