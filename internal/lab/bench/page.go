package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

const pageHead = `# Benchmarks

Written by ` + "`make bench`" + `; do not edit. Absolute times differ from machine to
machine, so a bound is a ratio within one run, or a growth from small to large:
what is ours and what it is held against take turns, and medians are compared.
Where a row names real things they are real: the built programs as processes of
their own, TCP, tgtd in a network namespace, the kernel's target in a virtual
machine, file systems on loop devices.

`

const pageTail = `
` + "`go run ./internal/lab/bench -only NAME`" + ` measures some rows alone,
` + "`go run ./internal/lab/fleet/sim -h`" + ` tells what else can be asked of the
fleet (` + "`make fleet`" + `). What can be held on a noisy machine is held by
` + "`make test`" + ` too, with wider bounds.
`

func writePage(path string, results []result) error {
	var p strings.Builder
	p.WriteString(pageHead)
	p.WriteString(machine())
	p.WriteString("\n| work | measured | bound | | in figures |\n|---|---|---|---|---|\n")
	for _, r := range results {
		switch {
		case r.failed != nil:
			fmt.Fprintf(&p, "| %s | | | failed | %s |\n", r.work, cell(r.failed.Error()))
		case r.missing != "":
			fmt.Fprintf(&p, "| %s | | %s | not measured | %s |\n", r.work, r.limit(), cell(r.missing))
		default:
			fmt.Fprintf(&p, "| %s | %s | %s | %s | %s |\n", r.work, r.measured(), r.limit(), r.verdict(), cell(r.detail))
		}
	}
	p.WriteString(notes)
	p.WriteString(pageTail)
	return os.WriteFile(path, []byte(p.String()), 0o644)
}

// notes say what the table cannot.
const notes = `
What misses its bound. None of it has been taken apart yet; what is known:

- ` + "`" + `/boot-vars` + "`" + ` against a bare handler: in process the answer takes about 1.5 µs.
- 1,000 machines at once against one alone: 1,000 *known* machines at once, of
  which nothing is written, already take nine times as long as one registration.
- One registration at 10,000 against one at 10: both sides are differences of a
  few milliseconds; runs gave 1.2 to 4.3, the highest on a busy machine.
- ` + "`" + `GET /lun` + "`" + ` against ` + "`" + `tgtadm --op show` + "`" + `: runs gave 1.15 to 1.6.
`

// cell is text for a table, one line of it.
func cell(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return strings.ReplaceAll(first, "|", "\\|")
}

// machine tells what the figures belong to, and nothing that names it.
func machine() string {
	var u unix.Utsname
	kernel := "unknown"
	if unix.Uname(&u) == nil {
		kernel = unix.ByteSliceToString(u.Release[:])
	}
	return fmt.Sprintf("Measured on %d × %s, %s of memory, Linux %s, %s.\n",
		runtime.NumCPU(), field("/proc/cpuinfo", "model name"), memory(), kernel, runtime.Version())
}

func memory() string {
	var kib float64
	if _, err := fmt.Sscanf(field("/proc/meminfo", "MemTotal"), "%f kB", &kib); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f GiB", kib/(1<<20))
}

// field is the first of its name in a file of "name : value" lines.
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
