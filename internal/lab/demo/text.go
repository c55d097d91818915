package main

import "strings"

// whatToTry is what a person reads when the demo is up: lines to copy.
func whatToTry(s state) string {
	return strings.NewReplacer("ADDRESS", "http://"+s.Address, "CONSOLE", "http://"+s.Console, "MACHINE", machine, "MAC", machineMAC, "BOOTED", s.Booted).Replace(`
The demo is up, in a network of its own: a control plane, the storage nodes
node-1 and node-2, and a machine without a disk, MAC. It has
registered itself as MACHINE, was given a disk, and has booted from that
over iSCSI. The system on the disk says: BOOTED

The browser console, and the terminal console (? shows its keys):
  CONSOLE/
  bin/ipxe-tui --url ADDRESS

Look around; the console's files for machines, CONSOLE/file/, are in
.demo/lab/public:
  curl -s ADDRESS/workers
  curl -s ADDRESS/agents
  curl -s 'ADDRESS/boot-vars?mac=MAC'

1. Watch the machine in another terminal (Ctrl-] leaves) and press its reset
   button. It asks what to boot, and boots its disk again. What the system on
   the disk says is in a file (on the screen iPXE's last line stays):
  go run ./internal/lab/demo console
  go run ./internal/lab/demo reset
  cat .demo/lab/MACHINE.guest

2. Give it a second disk, cloned from a master image on node-2, make that its
   default system, and press reset:
  curl -s -X POST ADDRESS/workers/MACHINE/luns/disk -H 'Content-Type: application/json' \
    -d '{"os":"debian","type":"master","name":"debian_tpl_v1.img","disk_agent":"node-2"}'
  curl -s -X PUT ADDRESS/workers/MACHINE/default-os -H 'Content-Type: application/json' -d '{"os":"debian"}'
  go run ./internal/lab/demo reset

3. See who did what, edit a ledger by hand and watch it take effect, and see
   what does not agree:
  curl -s ADDRESS/operations
  $EDITOR .demo/lab/cp/state/workers.yml
  curl -s ADDRESS/readyz
  curl -s ADDRESS/reconcile

Every call is in docs/api.md; how to set up a real site is in docs/guide.md.
All logs are in .demo/lab. End it with:
  make demo-down
`)
}
