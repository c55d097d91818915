package lio

import (
	"crypto/sha256"
	"encoding/binary"
	"path"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
)

// Places in the tree.
const (
	coreDir   = "core"
	fabricDir = "iscsi"
)

// prefix of every backstore of ours.
const prefix = "ipxe-"

// storeName tells the backstore of one IQN from all others, on whatever HBA
// number it is: targetctl gives out others when it restores what it saved.
func storeName(q iscsi.IQN) string { return prefix + target.Export{IQN: q}.Serial() }

// firstHBA is above what targetcli gives out, which is 0 to 1048575.
const firstHBA = 1 << 20

// hbas are the places that q's backstore may be at, each a folder of its own:
// targetctl's clear expects one backstore an HBA. The number comes from the name,
// so that none has to be searched among all those in use; the second and third
// are for the rare case that two names come to one number.
func hbas(q iscsi.IQN) []string {
	sum := sha256.Sum256([]byte("hba " + q.String()))
	var dirs []string
	for i := range 3 {
		n := firstHBA + binary.BigEndian.Uint32(sum[4*i:])%(1<<31-firstHBA)
		dirs = append(dirs, path.Join(coreDir, "fileio_"+strconv.FormatUint(uint64(n), 10)))
	}
	return dirs
}

func targetDir(name string) string { return path.Join(fabricDir, name) }

// groupDir is the one target portal group that we make.
func groupDir(name string) string { return path.Join(targetDir(name), "tpgt_1") }

// numbered reads n of <kind>_<n>.
func numbered(name, kind string) (int, bool) {
	digits, ok := strings.CutPrefix(name, kind+"_")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), err == nil
}
