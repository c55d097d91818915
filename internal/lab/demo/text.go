package main

import "strings"

// whatToTry is what a person reads when the demo is up: lines to copy.
func whatToTry(s state) string {
	return strings.NewReplacer("ADDRESS", "http://"+s.Address, "CONSOLE", "http://"+s.Console, "MACHINE", machine, "MAC", machineMAC).Replace(`
The demo is up, in a network of its own: a control plane, the storage nodes
node-1 and node-2, and a machine without a disk. The machine, MAC, has just
registered itself as MACHINE. It has nothing to boot, so it reboots and asks
again every few seconds.

Look around:
  curl -s ADDRESS/workers
  curl -s ADDRESS/agents
  curl -s 'ADDRESS/boot-vars?mac=MAC'

Or look and do everything below in a browser, or in the terminal console (?
shows its keys):
  CONSOLE/
  bin/ipxe-tui --url ADDRESS

What machines fetch from CONSOLE/file/ is in .demo/lab/public.

Watch the machine in another terminal (Ctrl-] leaves):
  go run ./internal/lab/demo console

1. Give it a disk, cloned from a master image on node-1:
  curl -s -X POST ADDRESS/workers/MACHINE/luns/disk -H 'Content-Type: application/json' \
    -d '{"os":"ubuntu","type":"master","name":"ubuntu_tpl_v1.img","disk_agent":"node-1"}'

2. Make that its default system. Its next round ends in the disk:
  curl -s -X PUT ADDRESS/workers/MACHINE/default-os -H 'Content-Type: application/json' -d '{"os":"ubuntu"}'

3. Some ten seconds later, read what the system on the disk says (on the
   machine's own screen iPXE's last line stays), and who did what:
  cat .demo/lab/MACHINE.guest
  curl -s ADDRESS/operations

4. Let it boot another system from node-2, then press its reset button:
  curl -s -X POST ADDRESS/workers/MACHINE/luns/disk -H 'Content-Type: application/json' \
    -d '{"os":"debian","type":"master","name":"debian_tpl_v1.img","disk_agent":"node-2"}'
  curl -s -X PUT ADDRESS/workers/MACHINE/default-os -H 'Content-Type: application/json' -d '{"os":"debian"}'
  go run ./internal/lab/demo reset

5. Edit a ledger by hand and watch it take effect; see what does not agree:
  $EDITOR .demo/lab/cp/state/workers.yml
  curl -s ADDRESS/readyz
  curl -s ADDRESS/reconcile

Every call is in docs/api.md; how to set up a real site is in docs/guide.md.
All logs are in .demo/lab. End it with:
  make demo-down
`)
}
