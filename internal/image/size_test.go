package image

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestSizesAreBinaryAndRoundedUpToASector(t *testing.T) {
	for in, want := range map[string]Size{
		"1M": 1 << 20, "1048576": 1 << 20, "1048576B": 1 << 20, "1048576b": 1 << 20, "1024K": 1 << 20, "1m": 1 << 20,
		"20G": 20 << 30, "20GB": 20 << 30, "20gb": 20 << 30, "20GiB": 20 << 30, "20gib": 20 << 30, "020G": 20 << 30, "20.0G": 20 << 30,
		"1.5G": 3 << 29, "1.5T": 3 << 39, "0.5G": 1 << 29, "64T": 64 << 40, "70368744177664": 64 << 40, "64TiB": 64 << 40,
		"0.1T":    109951162880, // 109951162777.6 bytes
		"1048577": 1<<20 + 512, "1049088": 1<<20 + 512, "1049089": 1<<20 + 1024, "1048576.000000001": 1<<20 + 512,
		"1.0000000000000000000000000000000000001M": 1<<20 + 512,
	} {
		n, err := ParseSize(in)
		if err != nil || n != want || n%512 != 0 {
			t.Errorf("%q: got %d, %v, want %d", in, n, err, want)
		}
	}
}

func TestASizeOutOfBoundsIsRefused(t *testing.T) {
	for in, why := range map[string]string{
		"0": "less than 1M", "0G": "less than 1M", "0.0T": "less than 1M", "1": "less than 1M", "1KiB": "less than 1M", "1048575": "less than 1M", "1048575.9": "less than 1M",
		"1023.999K": "less than 1M", "0.9M": "less than 1M",
		"65T": "more than 64T", "64.1T": "more than 64T", "70368744177665": "more than 64T", "70368744177664.1": "more than 64T",
		"9223372036854775808": "more than 64T", "99999999999999999999999999999999999999T": "more than 64T",
	} {
		n, err := ParseSize(in)
		if want := fmt.Sprintf("size %q is %s", in, why); !fault.Is(err, fault.Invalid) || err.Error() != want || n != 0 {
			t.Errorf("got %d, %v\nwant %s", n, err, want)
		}
	}
}

func TestASizeThatIsNoPlainNumberIsRefused(t *testing.T) {
	for _, in := range []string{
		"", " ", "G", "B", "-1G", "+1G", " 1G", "1G ", "1 G", "1G\n", "1e3G", "1E3", "1e3", "NaN", "nan", "Inf", "inf", "-0", "0x10", "0x10G", "0b1G", "1_000M", ".5G", "5.", "5.G", ".", "1.5.5G", "1..5G",
		"1,5G", "1'000M", "20X", "20P", "20GG", "20KM", "20GiBB", "20iB", "20Gi", "20GBi", "20BB", "1/2G", "½G", "１G", "20\u212a", "20G\u0131B", "20\uff27", "1G;reboot", "${x}G", "20\xff", "20G\x00",
		strings.Repeat("1", 41) + "G", strings.Repeat("9", 5000), "1." + strings.Repeat("0", 100) + "G",
	} {
		n, err := ParseSize(in)
		if want := fmt.Sprintf("size %q is not a number with an optional K, M, G or T", fault.Clip(in)); !fault.Is(err, fault.Invalid) || err.Error() != want || n != 0 {
			t.Errorf("got %d, %v\nwant %s", n, err, want)
		}
	}
}

func TestASizeIsWrittenWithTheLargestUnitThatDividesIt(t *testing.T) {
	for n, want := range map[Size]string{1 << 20: "1M", 20 << 30: "20G", 3 << 29: "1536M", 64 << 40: "64T", 1<<20 + 512: "1049088", 1<<20 + 1024: "1025K"} {
		if n.String() != want {
			t.Errorf("%d: got %s, want %s", int64(n), n, want)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"0", "-1G", "1e3G", "NaN", "1.5G", "0.1T", ".5G", "5.", "1,5G", "20GiB", "20gb", "1KiB", "1M", "1048575", "65T", "64T", "0x10", "+1G", " 1G", "1048577B", "20\u212a"} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([kKmMgGtT]([iI]?[bB])?|[bB])?$`)
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseSize(s)
		if err != nil {
			checkRefusal(t, n == 0, err)
			return
		}
		if !form.MatchString(s) || n < MinSize || n > MaxSize || n%512 != 0 {
			t.Fatalf("%q came out as %d", s, int64(n))
		}
		if again, err := ParseSize(n.String()); err != nil || again != n {
			t.Fatalf("%s is read back as %d, %v", n, int64(again), err)
		}
	})
}
