package store

import (
	"math"
	"testing"
)

func FuzzReserveAndOvercommit(f *testing.F) {
	for _, s := range []string{"5%", "0", "20G", "100%", "-1%", "1e1%", ".%", "NaN%", "none", "1.5", "0x2", "Inf", "1_0", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if r, err := ParseReserve(s); err == nil && (!(r.Share >= 0 && r.Share < 1) || r.Bytes < 0 || r.of(math.MaxInt64/2) < 0) {
			t.Errorf("%q reserves %+v", s, r)
		}
		if o, err := ParseOvercommit(s); err == nil && !(o >= 0 && o <= 1000) {
			t.Errorf("%q is the ratio %v", s, o)
		}
	})
}
