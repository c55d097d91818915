package dhcphosts

import "slices"

// places knows the lines of each key, in file order. Nearly every key has one.
type places[K comparable] struct {
	one  map[K]int32
	more map[K][]int32 // all lines of the keys that have several
}

func newPlaces[K comparable](size int) places[K] {
	return places[K]{one: make(map[K]int32, size), more: map[K][]int32{}}
}

func (p places[K]) add(k K, i int32) {
	first, had := p.one[k]
	if !had {
		p.one[k] = i
		return
	}
	list := p.more[k]
	if list == nil {
		list = []int32{first}
	}
	at, _ := slices.BinarySearch(list, i)
	p.more[k] = slices.Insert(list, at, i)
}

func (p places[K]) drop(k K, i int32) {
	list := p.more[k]
	if list == nil {
		delete(p.one, k)
		return
	}
	list = slices.DeleteFunc(list, func(at int32) bool { return at == i })
	p.one[k] = list[0]
	p.more[k] = list
	if len(list) == 1 {
		delete(p.more, k)
	}
}

// of lists k's lines, first to last; do not change it.
func (p places[K]) of(k K) []int32 {
	if list := p.more[k]; list != nil {
		return list
	}
	if i, ok := p.one[k]; ok {
		return []int32{i}
	}
	return nil
}
