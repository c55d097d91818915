package cell

import (
	"fmt"
	"strings"
	"time"
)

// Bytes is n as a person reads it: 1.5 GiB.
func Bytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n), -1
	for f >= 1024 && unit < 5 {
		f, unit = f/1024, unit+1
	}
	if f >= 100 {
		return fmt.Sprintf("%.0f %ciB", f, "KMGTPE"[unit])
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGTPE"[unit])
}

// Age is d in its largest unit: 5s, 3m, 2h, 9d.
func Age(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// Bar is a progress bar of w columns.
func Bar(done, total int64, w int) string {
	if w <= 2 || total <= 0 {
		return Blank(max(w, 0))
	}
	full := int(min(done, total) * int64(w-2) / total)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", w-2-full) + "]"
}

// NaturalKey sorts like a person counts: the keys of n2 and n10 compare as 2 and 10.
func NaturalKey(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] < '0' || s[i] > '9' {
			c := s[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b.WriteByte(c)
			i++
			continue
		}
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		digits := strings.TrimLeft(s[start:i], "0")
		// A longer number is a larger one: its length goes first, as a byte above
		// every separator.
		b.WriteByte('0')
		b.WriteByte(byte(min(len(digits), 200)) + 1)
		b.WriteString(digits)
	}
	return b.String()
}
