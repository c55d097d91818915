package store

import (
	"strconv"
	"strings"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

// Reserve is space to keep free: a share of the file system or bytes.
type Reserve struct {
	Share float64 // 0 to 1
	Bytes int64
}

// ParseReserve reads 5%, 0 or a size such as 20G.
func ParseReserve(s string) (Reserve, error) {
	if s == "0" {
		return Reserve{}, nil
	}
	if number, ok := strings.CutSuffix(s, "%"); ok {
		share, err := strconv.ParseFloat(number, 64)
		if err != nil || !(share >= 0 && share < 100) || strings.Trim(number, "0123456789.") != "" {
			return Reserve{}, fault.New(fault.Invalid, "%q is not a share from 0%% to less than 100%%", fault.Clip(s))
		}
		return Reserve{Share: share / 100}, nil
	}
	size, err := image.ParseSize(s)
	if err != nil {
		return Reserve{}, fault.New(fault.Invalid, "%q is neither a share such as 5%% nor a size such as 20G", fault.Clip(s))
	}
	return Reserve{Bytes: int64(size)}, nil
}

func (r Reserve) of(total int64) int64 { return r.Bytes + int64(r.Share*float64(total)) }

// ParseOvercommit reads none, or a ratio from 1 up such as 1.5.
func ParseOvercommit(s string) (float64, error) {
	if strings.EqualFold(s, "none") {
		return 0, nil
	}
	ratio, err := strconv.ParseFloat(s, 64)
	if err != nil || !(ratio > 0 && ratio <= 1000) || strings.Trim(s, "0123456789.") != "" {
		return 0, fault.New(fault.Invalid, "%q is neither none nor a ratio above 0 such as 1.5", fault.Clip(s))
	}
	return ratio, nil
}
