// Package iscsi owns the words of the storage network: IQN, Base, LUN, Host,
// Separator and the root path that iPXE boots from. Each is made by a Parse
// function or is its zero value, which is never valid; none does I/O.
package iscsi
