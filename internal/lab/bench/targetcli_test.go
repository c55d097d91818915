package main

import (
	"errors"
	"testing"
)

func TestWithoutAWayToTargetcliItsRowSaysWhyItIsNotMeasured(t *testing.T) {
	t.Setenv("PATH", "")
	r := besideTargetcli(&bench{ctx: t.Context(), root: t.TempDir(), dir: t.TempDir()})
	const want = "LIO: a create against the same by `targetcli`: not measured: " +
		`no root with targetcli: debootstrap bookworm: exec: "debootstrap": executable file not found in $PATH`
	if r.String() != want {
		t.Errorf("%v; want %s", r, want)
	}
	said := errors.New("debootstrap bookworm: exit status 1: I: Retrieving\nE: Failed getting release file\n")
	if got := lastLine(said); got != "E: Failed getting release file" {
		t.Errorf("reason %q", got)
	}
}

func TestTheRowOfTargetcliTellsTheSessionWithAndWithoutItsStart(t *testing.T) {
	times, detail := againstTargetcli(.025, 2.5, 2, 10)
	const want = "25ms against 2.5s, all of one session; its start and end take 2s of that, without them it is 20 times; " +
		"a call for each of its five commands 10s, 400 times; in an emulated guest, one other target standing"
	if times != 100 || detail != want {
		t.Errorf("%v times: %s", times, detail)
	}
}
