// Package provision owns the control plane's use-cases: the rules that span
// the ledger, the storage nodes and the DHCP bindings. Syntax is checked before
// (the word packages), durability after (ledger). It knows no HTTP and no file.
//
// Every change goes the same way: check against the snapshot, reserve what is
// touched, audit "started", call the node outside any ledger lock, commit,
// audit the end. The checks that must hold are made once more inside the
// commit, where no other writer is.
package provision
