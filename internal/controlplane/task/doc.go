// Package task owns the registry of what takes long: what runs, how far it is,
// and how the last few hundred ended. It knows nothing of what a task does. A
// task that runs when the daemon stops, or is killed, is interrupted; what such
// a task may have left at a node is remembered until somebody has cleared it.
package task
