// Package httpapi is the control plane's HTTP: routes.go is the whole API on
// one screen, and one file a resource decodes, calls a use-case and encodes.
// No rule lives here.
package httpapi
