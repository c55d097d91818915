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
What the table cannot say:

- 1,000 new machines at once against one alone misses its bound: runs gave
  13 to 18, most of them above 15. The thousand connections alone, to a bare handler,
  take eight to eleven times as long as one registration; machines and control
  plane share two processors here. 1,000 registrations cost the control plane
  120 ms of processor time.
- ` + "`" + `/boot-vars` + "`" + ` against a bare handler: 0.58 µs in process, of two allocations.
  Runs gave 0.77 to 0.95, the least with 100,000 workers. What is left between the
  two are deadlines that a bare server does not have, the request's id, counting,
  and, in large ledgers, memory that is in no cache: that is a microsecond of 18,
  and why the largest is 1.04 to 1.19 times slower than the smallest.
- One registration at 10,000 against one at 10: both sides are differences of a
  few milliseconds; on a quiet machine runs gave 1.7 to 1.9.
- ` + "`" + `GET /lun` + "`" + ` against ` + "`" + `tgtadm --op show` + "`" + `: runs gave 1.2 to 1.4.
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
