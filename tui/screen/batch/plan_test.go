package batch

import (
	"fmt"
	"testing"

	"ipxe-all-ready/internal/api"
)

func plan(items []item) (s string) {
	for _, i := range items {
		s += fmt.Sprintf("%s>%s ", i.worker, i.agent)
	}
	return s
}

func three() []item {
	return []item{{worker: "a"}, {worker: "b", skip: true}, {worker: "c"}, {worker: "d"}}
}

func TestDealingGoesRoundInListOrderAndPassesTheSkipped(t *testing.T) {
	items := three()
	deal(items, []string{"n1", "n2"})
	if got := plan(items); got != "a>n1 b> c>n2 d>n1 " {
		t.Error(got)
	}
	if n := counts(items); n["n1"] != 2 || n["n2"] != 1 {
		t.Errorf("%v", n)
	}
	deal(items, nil)
	if got := plan(items); got != "a>n1 b> c>n2 d>n1 " {
		t.Errorf("no node: %s", got)
	}
}

func TestTenWorkersOverThreeNodesDifferByOneAtMost(t *testing.T) {
	items := make([]item, 10)
	deal(items, []string{"n1", "n2", "n3"})
	if n := counts(items); n["n1"] != 4 || n["n2"] != 3 || n["n3"] != 3 {
		t.Errorf("%v", n)
	}
}

func TestAWorkerMovesRoundTheNodes(t *testing.T) {
	nodes := []string{"n1", "n2", "n3"}
	i := item{agent: ""}
	for _, c := range []struct {
		n    int
		want string
	}{{1, "n1"}, {1, "n2"}, {1, "n3"}, {1, "n1"}, {-1, "n3"}} {
		if shift(&i, nodes, c.n); i.agent != c.want {
			t.Errorf("%+d: %s, want %s", c.n, i.agent, c.want)
		}
	}
	i.agent = ""
	if shift(&i, nodes, -1); i.agent != "n3" {
		t.Errorf("back from none: %s", i.agent)
	}
	shift(&i, nil, 1)
}

func TestWhoHasTheSystemIsSkippedAndAskedForAllTheSame(t *testing.T) {
	items := []item{{worker: "a", agent: "n1"}, {worker: "b"}}
	marked(items, "ubuntu", map[string]*api.Worker{"a": {}, "b": {Disks: []api.Disk{{OS: "ubuntu"}}}})
	if items[0].skip || !items[1].skip {
		t.Errorf("%+v", items)
	}
	if got := fmt.Sprint(targets(items, "n9")); got != "[{a n1} {b n9}]" {
		t.Error(got)
	}
}
