package ledger

import (
	"container/heap"
	"fmt"
	"strings"

	"ipxe-all-ready/internal/netboot"
)

const autoPrefix = "worker-"

// numbers knows the highest N of all worker-N in use, however often names come
// and go: a count for each number, and a heap that drops dead ones when asked.
type numbers struct {
	uses map[int]int
	top  descending
}

func newNumbers() *numbers { return &numbers{uses: map[int]int{}} }

// numberOf reads worker-07 as 7; ok is false for other names and for more than
// nine digits.
func numberOf(name string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(name, autoPrefix)
	if !ok || digits == "" || len(digits) > 9 {
		return 0, false
	}
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		n = n*10 + int(digits[i]-'0')
	}
	return n, true
}

// count adds delta uses of name.
func (u *numbers) count(name string, delta int) {
	n, ok := numberOf(name)
	if !ok {
		return
	}
	was := u.uses[n]
	if was+delta > 0 {
		u.uses[n] = was + delta
	} else {
		delete(u.uses, n)
	}
	if was == 0 && delta > 0 {
		heap.Push(&u.top, n)
		u.tidy()
	}
}

// tidy keeps names that come and go without a NextName from filling the heap.
func (u *numbers) tidy() {
	if len(u.top) < 2*len(u.uses)+1024 {
		return
	}
	u.top = u.top[:0]
	for n := range u.uses {
		u.top = append(u.top, n)
	}
	heap.Init(&u.top)
}

// highest is 0 when no number is in use.
func (u *numbers) highest() int {
	for len(u.top) > 0 {
		if u.uses[u.top[0]] > 0 {
			return u.top[0]
		}
		heap.Pop(&u.top)
	}
	return 0
}

func (b *book) nextName() netboot.Hostname {
	for n := b.numbers.highest() + 1; ; n++ {
		h, err := netboot.ParseHostname(fmt.Sprintf("%s%02d", autoPrefix, n))
		if err != nil || b.retired[h] || b.hosts.Has(h) {
			continue
		}
		if _, used := taken(h.String(), b.workerByID, b.byHost.get); !used {
			return h
		}
	}
}

// descending is a heap with the greatest number on top.
type descending []int

func (d descending) Len() int           { return len(d) }
func (d descending) Less(i, j int) bool { return d[i] > d[j] }
func (d descending) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *descending) Push(x any)        { *d = append(*d, x.(int)) }
func (d *descending) Pop() any {
	old := *d
	n := old[len(old)-1]
	*d = old[:len(old)-1]
	return n
}
