package ledger

import (
	"iter"
	"maps"

	"ipxe-all-ready/internal/netboot"
)

const shards = 256

// key is a word that an index is made over.
type key interface {
	comparable
	String() string
}

// index is an immutable map in 256 parts. A change copies the parts it touches
// and shares the others, so that one commit among 100,000 workers copies some
// hundred entries.
type index[K key, V any] struct {
	part *[shards]map[K]V
}

// shardOf is FNV-1a of the key. An address is taken as it is: its text would
// have to be made, on the way of every booting machine.
func shardOf[K key](k K) uint8 {
	h := uint32(2166136261)
	if mac, ok := any(k).(netboot.MAC); ok {
		for _, c := range mac {
			h = (h ^ uint32(c)) * 16777619
		}
		return fold(h)
	}
	s := k.String()
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return fold(h)
}

func fold(h uint32) uint8 { return uint8(h ^ h>>8 ^ h>>16 ^ h>>24) }

func (x index[K, V]) get(k K) (v V, ok bool) {
	if x.part == nil {
		return v, false
	}
	v, ok = x.part[shardOf(k)][k]
	return v, ok
}

func (x index[K, V]) len() (n int) {
	if x.part == nil {
		return 0
	}
	for _, m := range x.part {
		n += len(m)
	}
	return n
}

func (x index[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if x.part == nil {
			return
		}
		for _, m := range x.part {
			for k, v := range m {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// edit is an index being changed: parts are copied at their first change.
type edit[K key, V any] struct {
	index[K, V]
	own [shards]bool
}

func (x index[K, V]) edit() *edit[K, V] {
	e := &edit[K, V]{}
	e.part = new([shards]map[K]V)
	if x.part != nil {
		*e.part = *x.part
	}
	return e
}

func (e *edit[K, V]) shard(k K) map[K]V {
	i := shardOf(k)
	if !e.own[i] {
		e.own[i] = true
		if e.part[i] = maps.Clone(e.part[i]); e.part[i] == nil {
			e.part[i] = map[K]V{}
		}
	}
	return e.part[i]
}

func (e *edit[K, V]) set(k K, v V) { e.shard(k)[k] = v }
func (e *edit[K, V]) delete(k K)   { delete(e.shard(k), k) }
func (e *edit[K, V]) put(k K, v V, ok bool) {
	if ok {
		e.set(k, v)
	} else {
		e.delete(k)
	}
}

// freeze ends the editing: the next change copies again.
func (e *edit[K, V]) freeze() index[K, V] {
	x := index[K, V]{part: new([shards]map[K]V)}
	*x.part = *e.part
	e.own = [shards]bool{}
	return x
}
