package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"ipxe-all-ready/internal/lab/fleet"
)

// start is from the program's start to the first answer.
func start(b *bench) ([]result, error) {
	home, err := b.folder("start")
	if err != nil {
		return nil, err
	}
	if err := (fleet.Files{Workers: 10_000, Agent: "st-1"}).Write(home); err != nil {
		return nil, err
	}
	var took, resident series
	for range b.turns(7) {
		begun := time.Now()
		cp, err := fleet.StartControlPlane(b.program("ipxe-cp"), home)
		if err != nil {
			return nil, err
		}
		took.add(time.Since(begun).Seconds())
		var kib float64
		_, err = fmt.Sscanf(field(fmt.Sprintf("/proc/%d/status", cp.PID), "VmRSS"), "%f kB", &kib)
		resident.add(kib / 1024)
		if err := errors.Join(err, cp.Stop()); err != nil {
			return nil, err
		}
	}
	return []result{
		{work: "start of `ipxe-cp` with 10,000 workers to the first answer", value: took.median(), unit: "s", bound: 1, detail: fmt.Sprintf("the slowest of %d %s", len(took), seconds(took.quantile(.999)))},
		{work: "memory then", value: resident.median(), unit: "MiB", bound: 80, detail: "resident"},
	}, nil
}

// BenchmarkAKeyMovesTheCursorAmongTenThousand-2   1000   1203456 ns/op   1.1 p50-ms   2.3 p99-ms
var p99 = regexp.MustCompile(`(?m)^Benchmark(\w+?)(?:-\d+)?\s.*?([\d.]+) p50-ms\s.*?([\d.]+) p99-ms`)

// terminal runs the console's own benchmarks, which reach into its model.
func terminal(b *bench) ([]result, error) {
	cmd := exec.CommandContext(b.ctx, "go", "test", "-run", "^$", "-bench", "Key|Shift|Filter|Sort", "-benchtime", "1000x", "./tui")
	cmd.Dir = b.root
	text, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(text))
	}
	words := map[string]string{
		"AKeyMovesTheCursorAmongTenThousand": "a key that moves the cursor", "ShiftExtendsARangeOverTenThousand": "shift and a key that extends a range",
		"TypingAFilterOverTenThousand": "a letter of a filter", "ASortOfTenThousand": "a key that sorts",
	}
	var out []result
	for _, m := range p99.FindAllSubmatch(text, -1) {
		what, value := words[string(m[1])], 0.0
		if what == "" {
			what = string(m[1])
		}
		if value, err = strconv.ParseFloat(string(m[3]), 64); err != nil {
			return nil, err
		}
		out = append(out, result{work: "TUI, 10,000 workers, " + what + ", to the frame: p99", value: value, unit: "ms", bound: 16, detail: fmt.Sprintf("p50 %s ms", m[2])})
	}
	if len(out) < len(words) {
		return out, fmt.Errorf("the console's benchmarks print something else: %s", text)
	}
	return out, nil
}

// browserFile is where the web suite leaves what only a browser can measure,
// one line: {"gzip_bytes": 98304, "longest_task_ms": 31.5}
const browserFile = ".cache/web-bench.json"

func browser(b *bench) ([]result, error) {
	bundle := result{work: "console bundle, gzip", unit: "kB", bound: 110}
	task := result{work: "console, scrolling 10,000 rows: the longest task", unit: "ms", bound: 50}
	content, err := os.ReadFile(filepath.Join(b.root, browserFile))
	if errors.Is(err, fs.ErrNotExist) {
		bundle.missing, task.missing = "the web suite has not left "+browserFile, "the web suite has not left "+browserFile
		return []result{bundle, task}, nil
	}
	var figures struct {
		Bytes float64 `json:"gzip_bytes"`
		Task  float64 `json:"longest_task_ms"`
	}
	if err == nil {
		err = json.Unmarshal(content, &figures)
	}
	if err == nil && figures.Bytes <= 0 {
		err = errors.New(browserFile + " has no gzip_bytes")
	}
	bundle.value, bundle.detail = figures.Bytes/1000, "as the web suite measured it"
	task.value, task.detail = figures.Task, "as the web suite measured it"
	return []result{bundle, task}, err
}

// tenThousand is the fleet simulator's claim.
func tenThousand(b *bench) ([]result, error) {
	var report bytes.Buffer
	f, err := fleet.Run(b.ctx, fleet.Options{
		Program: b.program("ipxe-cp"), Machines: 10_000, Within: time.Minute, Firmware: 15 * time.Second, Run: time.Minute,
		Agents: 4, Consoles: 3, Trouble: fleet.Trouble{Delay: 50 * time.Millisecond, Fail: .02}, Out: &report,
	})
	faults := 0
	for _, n := range f.Tally.Faults() {
		faults += n
	}
	if err != nil && faults == 0 {
		return nil, fmt.Errorf("%w\n%s", err, report.Bytes())
	}
	last, peak := f.Samples[len(f.Samples)-1], f.Peak()
	return []result{{work: "10,000 new machines powered on within a minute, polled by 3 consoles, while disks are made on 4 nodes: faults that a machine saw", value: float64(faults), unit: "faults", bound: 0,
		detail: fmt.Sprintf("a question p50 %s, p99 %s, the longest %s; %d commits, %d reloads, at most %.0f MiB resident, %d goroutines",
			seconds(f.Tally.Asked.Quantile(.5).Seconds()), seconds(f.Tally.Asked.Quantile(.99).Seconds()), seconds(f.Tally.Asked.Quantile(.99999).Seconds()),
			last.Commits, last.Reloads, float64(peak.Resident)/(1<<20), peak.Goroutines)}}, nil
}
