package task

import (
	"fmt"
	"path/filepath"
	"testing"

	"ipxe-all-ready/internal/api"
)

// BenchmarkLeave is what one item of a batch waits for before its copy is
// followed, in a batch of so many.
func BenchmarkLeave(b *testing.B) {
	for _, items := range []int{1, 1000, 10_000} {
		b.Run(fmt.Sprint(items, " items"), func(b *testing.B) {
			r, err := Open(filepath.Join(b.TempDir(), "tasks.json"), Options{})
			if err != nil {
				b.Fatal(err)
			}
			end := make(chan struct{})
			began := make(chan *Task)
			k, err := r.Go(NewID(), "test", rows(items), func(k *Task) { began <- k; <-end })
			if err != nil {
				b.Fatal(err)
			}
			<-began
			l := Left{Worker: "worker-1", Agent: "st1", Task: "n1", IQN: "iqn.2026-07.com.controller:worker-1.ubuntu"}
			for b.Loop() {
				k.Leave(0, l)
				k.Settle(0)
			}
			close(end)
			k.Wait()
		})
	}
}

// BenchmarkList is GET /tasks while a batch of 10,000 runs, and what its
// progress waits for meanwhile.
func BenchmarkList(b *testing.B) {
	r, err := Open("", Options{})
	if err != nil {
		b.Fatal(err)
	}
	began, end := make(chan struct{}), make(chan struct{})
	k, err := r.Go(NewID(), "test", rows(10_000), func(k *Task) { k.Begin(0, "st1"); close(began); <-end })
	if err != nil {
		b.Fatal(err)
	}
	<-began
	for b.Loop() {
		_ = r.List()
	}
	close(end)
	k.Wait()
}

func rows(n int) []api.TaskItem {
	out := make([]api.TaskItem, n)
	for i := range out {
		out[i] = api.TaskItem{WorkerID: fmt.Sprintf("worker-%d", i), Agent: "st1"}
	}
	return out
}
