package store

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

func TestBelowTheReserveNothingNewIsMade(t *testing.T) {
	s := folder(t, Options{MinFree: Reserve{Bytes: 1 << 60}})
	put(t, s, "x_tpl_1.img", nil, 1<<20)
	err := s.Blank(t.Context(), disk(t, "a.img"), 1<<20)
	if !fault.Is(err, fault.NoSpace) || !strings.HasSuffix(fault.Sentence(err), " bytes are free and 1152921504606846976 are kept in reserve: no space for a.img") {
		t.Errorf("Blank = %v", err)
	}
	if _, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), nil); !fault.Is(err, fault.NoSpace) {
		t.Errorf("Clone = %v", err)
	}
	wantNames(t, s, "x_tpl_1.img")
}

func TestNoMoreIsPromisedThanTheRatioAllows(t *testing.T) {
	s := folder(t, Options{Overcommit: 1})
	space, err := s.Space()
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "a.img", nil, 1<<20)
	size := space.Total&^511 + 512
	err = s.Blank(t.Context(), disk(t, "b.img"), sizeOf(t, size))
	want := fmt.Sprintf("b.img of %d bytes on top of the 1048576 promised already would be more than 1 times the %d bytes there are", size, space.Total)
	wantFault(t, err, fault.NoSpace, want)
	if err := s.Blank(t.Context(), disk(t, "b.img"), 1<<20); err != nil {
		t.Error(err)
	}
}

func TestAFullCopyClaimsItsSpaceAndGivesItBack(t *testing.T) {
	s := folder(t, Options{})
	root, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	space, err := s.Space()
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.claim(root, disk(t, "a.img"), space.Free/2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.claim(root, disk(t, "b.img"), space.Free*3/4); !fault.Is(err, fault.NoSpace) {
		t.Errorf("second claim = %v", err)
	}
	first.wrote(100)
	first.end()
	if s.space.pending != 0 {
		t.Errorf("%d bytes stay claimed", s.space.pending)
	}
}

func TestReservesAndRatiosAreReadOrRefused(t *testing.T) {
	for in, want := range map[string]Reserve{
		"5%": {Share: 0.05}, "0": {}, "0%": {}, "12.5%": {Share: 0.125}, "20G": {Bytes: 20 << 30},
	} {
		if got, err := ParseReserve(in); err != nil || got != want {
			t.Errorf("ParseReserve(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "100%", "-1%", "NaN%", "1e1%", "five", "%", "5 %"} {
		if got, err := ParseReserve(in); err == nil {
			t.Errorf("ParseReserve(%q) = %v", in, got)
		}
	}
	for in, want := range map[string]float64{"none": 0, "NONE": 0, "1": 1, "2.5": 2.5} {
		if got, err := ParseOvercommit(in); err != nil || got != want {
			t.Errorf("ParseOvercommit(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "0", "-1", "1e2", "Inf", "x"} {
		if got, err := ParseOvercommit(in); err == nil {
			t.Errorf("ParseOvercommit(%q) = %v", in, got)
		}
	}
}

func sizeOf(t *testing.T, n int64) image.Size {
	t.Helper()
	size, err := image.ParseSize(strconv.FormatInt(n, 10))
	if err != nil {
		t.Fatal(err)
	}
	return size
}
