package stgt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
)

// parseShow reads `tgtadm --lld iscsi --mode target --op show` of tgt 1.0.85.
// No targets print nothing. Sections that we do not know are passed over.
//
//	Target 7: iqn.2026-07.com.controller:x.iso
//	    System information:
//	        Driver: iscsi
//	        State: ready
//	        Nop interval: 5
//	        Nop count: 3
//	    I_T nexus information:
//	        I_T nexus: 7
//	            Initiator: iqn.2008-11.org.linux-kvm alias: none
//	            Connection: 0
//	                IP Address: 127.0.0.1
//	    LUN information:
//	        LUN: 0
//	            Type: controller
//	            SCSI ID: IET     00070000
//	            SCSI SN: beaf70
//	            Size: 0 MB, Block size: 1
//	            Online: Yes
//	            …
//	            Backing store type: null
//	            Backing store path: None
//	            Backing store flags:
//	        LUN: 1
//	            Type: cd/dvd
//	            SCSI ID: IET     00070001
//	            SCSI SN: beaf71
//	            Size: 4 MB, Block size: 1
//	            …
//	            Backing store type: mmc
//	            Backing store path: /srv/images/x.iso
//	            Backing store flags:
//	    Account information:
//	    ACL information:
//	        ALL
//	        iqn.2026-07.com.controller:a
func parseShow(out []byte) ([]target.Target, error) {
	p, n := showParser{}, 0
	for line := range strings.Lines(string(out)) { // 40 lines a target: they share one text
		n++
		if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("tgtadm show, line %d: %w", n, err)
		}
	}
	if err := p.whole(); err != nil {
		return nil, fmt.Errorf("tgtadm show: %w", err)
	}
	if len(out) > 0 && out[len(out)-1] != '\n' {
		return nil, errors.New("tgtadm show: the last line is cut")
	}
	return p.targets, nil
}

// showParser copies what it keeps, so that one name does not hold the whole text.
type showParser struct {
	targets []target.Target
	section string
}

// lastSection ends every target. Where one has none the output was cut, and a
// disk that it does not show could be served a second time.
const lastSection = "ACL information"

func (p *showParser) whole() error {
	if len(p.targets) == 0 || p.section == lastSection {
		return nil
	}
	return fmt.Errorf("target %s is cut", clip(p.targets[len(p.targets)-1].Name))
}

func (p *showParser) line(s string) error {
	text := strings.TrimLeft(s, " ")
	indent := len(s) - len(text)
	if text == "" {
		return nil
	}
	if indent == 0 {
		return p.target(text)
	}
	if len(p.targets) == 0 {
		return fmt.Errorf("%q stands before any target", clip(text))
	}
	t := &p.targets[len(p.targets)-1]
	switch {
	case indent == 4:
		p.section = strings.TrimRight(text, ": ")
		return nil
	case p.section == "I_T nexus information":
		nexus(t, text)
		return nil
	case p.section == "LUN information":
		return lun(t, text)
	case p.section == lastSection:
		t.ACL = append(t.ACL, kept(strings.TrimSpace(text)))
	}
	return nil
}

func (p *showParser) target(s string) error {
	head, name, ok := strings.Cut(s, ": ")
	id, isTarget := strings.CutPrefix(head, "Target ")
	tid, err := strconv.Atoi(id)
	if !ok || !isTarget || err != nil {
		return fmt.Errorf("%q is not the head of a target", clip(s))
	}
	if err := p.whole(); err != nil {
		return err
	}
	p.targets = append(p.targets, target.Target{TID: tid, Name: kept(strings.TrimSpace(name))})
	p.section = ""
	return nil
}

func nexus(t *target.Target, s string) {
	if strings.HasPrefix(s, "I_T nexus: ") {
		t.Sessions = append(t.Sessions, target.Session{})
		return
	}
	if len(t.Sessions) == 0 {
		return
	}
	last := &t.Sessions[len(t.Sessions)-1]
	if v, ok := strings.CutPrefix(s, "Initiator: "); ok {
		name, _, _ := strings.Cut(v, " alias: ")
		last.Initiator = kept(name)
	}
	if v, ok := strings.CutPrefix(s, "IP Address: "); ok {
		last.Address = kept(strings.TrimSpace(v))
	}
}

func lun(t *target.Target, s string) error {
	key, value, _ := strings.Cut(s, ": ")
	value = strings.TrimSpace(value)
	if key == "LUN" {
		n, err := iscsi.ParseLUN(value)
		if err != nil {
			return err
		}
		t.LUNs = append(t.LUNs, target.LUN{Number: n})
		return nil
	}
	if len(t.LUNs) == 0 {
		return nil
	}
	last := &t.LUNs[len(t.LUNs)-1]
	switch key {
	case "Type":
		last.Type = kept(value)
		if value == "cd/dvd" {
			last.Type = target.TypeCD
		}
	case "SCSI SN":
		last.Serial = kept(value)
	case "Backing store path":
		if value != "None" {
			last.Backing = kept(value)
		}
	}
	return nil
}

// kept is s in memory of its own; the words that nearly every target has are
// one each.
func kept(s string) string {
	for _, common := range [...]string{"ALL", "controller", "disk"} {
		if s == common {
			return common
		}
	}
	return strings.Clone(s)
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
