package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"ipxe-all-ready/internal/lab/fleet"
)

// site is one ipxe-cp process with what stands around it.
type site struct {
	*fleet.ControlPlane
	nodes []*fleet.Storage
	dhcp  *fleet.DHCP
}

// newSite starts one whose ledger has so many workers, with a disk each on
// st-1, and so many storage nodes.
func (b *bench) newSite(workers, nodes int, trouble fleet.Trouble, env ...string) (*site, error) {
	home, err := b.folder("site")
	if err != nil {
		return nil, err
	}
	s := &site{}
	files := fleet.Files{Workers: workers, Agent: "st-1"}
	for i := range nodes {
		n, err := fleet.StartStorage(fmt.Sprintf("st-%d", i+1), trouble)
		if err != nil {
			return nil, errors.Join(err, s.stop())
		}
		s.nodes = append(s.nodes, n)
		files.Agents += n.Entry()
	}
	if err := files.Write(home); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	if s.dhcp, err = fleet.StartDHCP(filepath.Join(home, "dhcp"), filepath.Join(home, fleet.HostsFile)); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	env = append(env, "IPXE_CP_MAX_WORKERS=1000000", "IPXE_CP_DNSMASQ_PID_FILE="+s.dhcp.PIDFile)
	if s.ControlPlane, err = fleet.StartControlPlane(b.program("ipxe-cp"), home, env...); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *site) stop() (err error) {
	if s.ControlPlane != nil {
		err = s.ControlPlane.Stop()
	}
	if s.dhcp != nil {
		s.dhcp.Stop()
	}
	for _, n := range s.nodes {
		n.Stop()
	}
	return err
}

// questions are those of the machines from the first on, known or new.
func questions(from, n int, named bool) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		host := ""
		if named {
			host = fmt.Sprintf("worker-%05d", from+i+1)
		}
		all[i] = request("/boot-vars?mac=" + fleet.MAC(from+i) + "&hostname=" + host)
	}
	return all
}
