//go:build integration

package torture

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// intensity is IPXE_TORTURE_ROUNDS: how many times each random trial is made,
// and from 1000 on every step is tried instead of some. CI leaves it away.
func intensity(short int) int {
	if n, err := strconv.Atoi(os.Getenv("IPXE_TORTURE_ROUNDS")); err == nil && n > 0 {
		return n
	}
	return short
}

// every is the stride through a matrix: 1 in the long form.
func every(short int) int {
	if intensity(0) >= 1000 {
		return 1
	}
	return short
}

var report struct {
	sync.Mutex
	rows map[string]*[2]int
}

// tried counts one trial; failed ones of the test are counted apart.
func tried(t testing.TB, what string, lost bool) {
	t.Helper()
	report.Lock()
	defer report.Unlock()
	if report.rows == nil {
		report.rows = map[string]*[2]int{}
	}
	row := report.rows[what]
	if row == nil {
		row = new([2]int)
		report.rows[what] = row
	}
	row[0]++
	if lost {
		row[1]++
	}
}

func printReport() {
	report.Lock()
	defer report.Unlock()
	if len(report.rows) == 0 {
		return
	}
	names := []string{}
	for name := range report.rows {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(a, b) })
	total, bad := 0, 0
	fmt.Printf("\n%-72s %8s %8s\n", "tried", "times", "lost")
	for _, name := range names {
		row := report.rows[name]
		total, bad = total+row[0], bad+row[1]
		fmt.Printf("%-72s %8d %8d\n", name, row[0], row[1])
	}
	fmt.Printf("%-72s %8d %8d\n", "together", total, bad)
	if bad == 0 {
		fmt.Println("nothing that was acknowledged was lost")
	}
}
