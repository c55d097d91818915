package main

import (
	"fmt"
	"path/filepath"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/site"
)

// The systems of the demo, and the node that has the master of each.
var systems = []string{"ubuntu", "debian"}

// patience is how long a step of the machine may take; it is seconds where the
// processor is not shared.
const patience = 2 * time.Minute

func writeMasters(s *site.Site) error {
	for i, os := range systems {
		n := s.Nodes[i]
		if err := lab.WriteGuestDisk(filepath.Join(n.Images, master(os)), os+" from "+n.ID, lab.BIOS); err != nil {
			return err
		}
	}
	return nil
}

func master(os string) string { return os + "_tpl_v1.img" }

// boot takes the machine from its first power on to its disk, and returns what
// the system there says of itself.
func boot(s *site.Site) (string, error) {
	m, err := s.AddMachine(machine, machineMAC, lab.BIOS)
	if err != nil {
		return "", err
	}
	if err := m.PowerOn(); err != nil {
		return "", err
	}
	if _, err := m.Screen.WaitFor("iPXE boot menu: "+machine, patience); err != nil {
		return "", fmt.Errorf("register %s: %w", machine, err)
	}
	os, node := systems[0], s.Nodes[0].ID
	fmt.Printf("It has registered itself as %s; it gets a disk, a clone of %s on %s…\n", machine, master(os), node)
	disk := api.CreateDisk{OS: os, Type: "master", Name: master(os), DiskAgent: node}
	if err := s.Call("POST", "/workers/"+machine+"/luns/disk", disk, nil); err != nil {
		return "", err
	}
	if err := s.Call("PUT", "/workers/"+machine+"/default-os", api.SetBoot{OS: api.Some(os)}, nil); err != nil {
		return "", err
	}
	found, err := m.Guest.WaitFor(`GUEST (.+ boot \d+)\b`, patience)
	if err != nil {
		return "", fmt.Errorf("boot %s: %w; on its screen:\n%s", machine, err, m.Screen.Tail(15))
	}
	fmt.Printf("%s has booted from iSCSI. Its disk says: %s\n", machine, found[1])
	return found[1], nil
}
