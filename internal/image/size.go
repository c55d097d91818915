package image

import (
	"math/big"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/fault"
)

// Size is a disk's capacity in bytes, a multiple of 512.
type Size int64

// The least and the greatest disk.
const (
	MinSize Size = 1 << 20
	MaxSize Size = 64 << 40
)

const sector = 512

// ParseSize reads a positive decimal number with an optional binary unit: 20G,
// 1.5 TiB's "1.5TiB", 512M, 1073741824, 2048B. It is rounded up to 512 bytes
// and must lie between 1 MiB and 64 TiB. Exponents, signs, NaN and anything
// else are refused.
func ParseSize(s string) (Size, error) {
	number, shift, ok := splitUnit(s)
	if !ok {
		return 0, fault.New(fault.Invalid, "size %q is not a number with an optional K, M, G or T", fault.Clip(s))
	}
	// A fraction of a unit is exact in rationals and not in floats: 0.1T.
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, fault.New(fault.Invalid, "size %q is not a number with an optional K, M, G or T", fault.Clip(s))
	}
	r.Mul(r, new(big.Rat).SetInt64(1<<shift))
	switch {
	case r.Cmp(new(big.Rat).SetInt64(int64(MinSize))) < 0:
		return 0, fault.New(fault.Invalid, "size %q is less than 1M", fault.Clip(s))
	case r.Cmp(new(big.Rat).SetInt64(int64(MaxSize))) > 0:
		return 0, fault.New(fault.Invalid, "size %q is more than 64T", fault.Clip(s))
	}
	n := new(big.Int).Quo(r.Num(), r.Denom()).Int64()
	if !r.IsInt() {
		n++
	}
	return Size((n + sector - 1) / sector * sector), nil
}

// splitUnit parts "1.5GiB" into "1.5" and 30. ok is false unless the number is
// digits with at most one inner point.
func splitUnit(s string) (number string, shift uint, ok bool) {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.') {
		end++
	}
	number, unit := s[:end], s[end:]
	whole, fraction, dotted := strings.Cut(number, ".")
	if len(number) > 40 || whole == "" || dotted && (fraction == "" || strings.Contains(fraction, ".")) {
		return "", 0, false
	}
	if unit == "" || unit == "B" || unit == "b" {
		return number, 0, true
	}
	if rest := unit[1:]; rest != "" && !strings.EqualFold(rest, "B") && !strings.EqualFold(rest, "iB") {
		return "", 0, false
	}
	i := strings.IndexByte("kmgt", unit[0]|0x20) // lower-case, of ASCII alone
	return number, uint(i+1) * 10, i >= 0
}

// String is the size with the largest unit that divides it: 20G, 1536M, else plain bytes.
func (n Size) String() string {
	for i := 3; i >= 0; i-- {
		unit := Size(1) << ((i + 1) * 10)
		if n >= unit && n%unit == 0 {
			return strconv.FormatInt(int64(n/unit), 10) + "KMGT"[i:i+1]
		}
	}
	return strconv.FormatInt(int64(n), 10)
}
