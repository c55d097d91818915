package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThePageTellsWhatWasKeptMissedFailedAndNotMeasured(t *testing.T) {
	path := filepath.Join(t.TempDir(), "benchmarks.md")
	if err := writePage(path, []result{
		atMost("a ratio", 1.234, 1.3, "%s against %s", seconds(0.0123), seconds(0.01)),
		{work: "a rate", value: .79, unit: "×", bound: .8, atLeast: true, detail: "d"},
		{work: "a size", value: 41.7, unit: "MiB", bound: 80, detail: "a|b"},
		{work: "another", unit: "kB", bound: 110, missing: "no file"},
		{work: "broken", failed: errors.New("it fell\nover")},
	}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| a ratio | 1.23× | ≤ 1.3× | kept | 12.3ms against 10ms |",
		"| a rate | 0.79× | ≥ 0.8× | **missed** | d |",
		`| a size | 41.7 MiB | ≤ 80 MiB | kept | a\|b |`,
		"| another | | ≤ 110 kB | not measured | no file |",
		"| broken | | | failed | it fell |",
	} {
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("no line %s in\n%s", line, page)
		}
	}
}

func TestMediansAndQuantiles(t *testing.T) {
	s := series{5, 1, 4, 2, 3}
	if s.median() != 3 || s.quantile(.99) != 5 || s.quantile(0) != 1 || (series{}).median() != 0 {
		t.Errorf("%v %v %v", s.median(), s.quantile(.99), s.quantile(0))
	}
}

func TestWhatTheWebSuiteLeftIsRead(t *testing.T) {
	root := t.TempDir()
	b := &bench{root: root}
	if got, err := browser(b); err != nil || got[0].missing == "" {
		t.Errorf("%v %v", got, err)
	}
	if err := os.Mkdir(filepath.Join(root, ".cache"), 0o755); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{
		`{"gzip_bytes": 98304, "longest_task_ms": 31.5}`: "98.3 kB 31.5 ms", `{}`: "error", `no JSON`: "error",
	} {
		if err := os.WriteFile(filepath.Join(root, browserFile), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := browser(b)
		said := "error"
		if err == nil {
			said = got[0].measured() + " " + got[1].measured()
		}
		if said != want {
			t.Errorf("%s: %s, want %s", content, said, want)
		}
	}
}
