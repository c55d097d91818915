package config

import (
	"strings"
	"time"

	"ipxe-all-ready/internal/fault"
)

// Seconds reads a duration whose bare number is seconds: 10, 0.5, 1s, 500ms,
// 1h. Less than least is a problem.
func (s *Source) Seconds(name string, def, least time.Duration) time.Duration {
	return s.duration(name, "s", "seconds", def, least)
}

// Milliseconds reads a duration whose bare number is milliseconds: 5000, 5s.
func (s *Source) Milliseconds(name string, def, least time.Duration) time.Duration {
	return s.duration(name, "ms", "milliseconds", def, least)
}

func (s *Source) duration(name, unit, units string, def, least time.Duration) time.Duration {
	v := s.get(name)
	if v == "" {
		return def
	}
	number := v
	if strings.Trim(v, "-+.0123456789") == "" {
		number += unit
	}
	d, err := time.ParseDuration(number)
	if err != nil {
		s.Reject(name, "%q is not a duration: a number of %s, or 500ms, 1s, 1h", fault.Clip(v), units)
		return def
	}
	if d < least {
		s.Reject(name, "%q is less than %s", fault.Clip(v), least)
		return def
	}
	return d
}
