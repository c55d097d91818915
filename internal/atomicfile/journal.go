package atomicfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
)

// journal says how one in-place rewrite turns the old bytes into the new ones.
// What both share at the front, and at the end when the lengths agree, is kept
// as a hash only: a line added to a large file costs a small journal.
type journal struct {
	head, tail int // bytes in common at the front and at the end
	kept       [sha256.Size]byte
	old, new   []byte // what lies between
}

var errTorn = errors.New("the journal is torn")

const journalMagic = "ipxe rewrite 1\n"

// newJournal compares old and new.
func newJournal(old, new []byte) journal {
	j := journal{}
	limit := min(len(old), len(new))
	const piece = 4 << 10 // compared at once, where nothing differs
	for j.head+piece <= limit && bytes.Equal(old[j.head:j.head+piece], new[j.head:j.head+piece]) {
		j.head += piece
	}
	for j.head < limit && old[j.head] == new[j.head] {
		j.head++
	}
	if len(old) == len(new) {
		for j.tail < limit-j.head && old[len(old)-1-j.tail] == new[len(new)-1-j.tail] {
			j.tail++
		}
	}
	j.old = old[j.head : len(old)-j.tail]
	j.new = new[j.head : len(new)-j.tail]
	j.kept = keptHash(old, j.head, j.tail)
	return j
}

func keptHash(content []byte, head, tail int) (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write(content[:head])
	h.Write(content[len(content)-tail:])
	h.Sum(sum[:0])
	return sum
}

// encode is magic, four lengths, the hash of what is kept, old, new and the
// hash of all of it.
func (j journal) encode() []byte {
	b := make([]byte, 0, len(journalMagic)+4*8+2*sha256.Size+len(j.old)+len(j.new))
	b = append(b, journalMagic...)
	for _, n := range []int{j.head, j.tail, len(j.old), len(j.new)} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, j.kept[:]...)
	b = append(append(b, j.old...), j.new...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func decodeJournal(b []byte) (journal, error) {
	const fixed = len(journalMagic) + 4*8 + sha256.Size
	if len(b) < fixed+sha256.Size || !bytes.HasPrefix(b, []byte(journalMagic)) {
		return journal{}, errTorn
	}
	body, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if s := sha256.Sum256(body); !bytes.Equal(s[:], sum) {
		return journal{}, errTorn
	}
	var n [4]int
	for i := range n {
		n[i] = int(binary.BigEndian.Uint64(body[len(journalMagic)+i*8:]))
	}
	j := journal{head: n[0], tail: n[1]}
	copy(j.kept[:], body[fixed-sha256.Size:])
	if rest := body[fixed:]; len(rest) == n[2]+n[3] && n[2] >= 0 && n[3] >= 0 {
		j.old, j.new = rest[:n[2]], rest[n[2]:]
		return j, nil
	}
	return journal{}, errTorn
}

// verdict is what a file's content tells about the rewrite of j.
type verdict uint8

const (
	isOld verdict = iota
	isNew
	isMix   // the write was cut off in its middle
	isOther // somebody wrote something else since
)

func (j journal) judge(content []byte) verdict {
	shortest := j.head + j.tail + min(len(j.old), len(j.new))
	longest := j.head + j.tail + max(len(j.old), len(j.new))
	if len(content) < shortest || len(content) > longest || keptHash(content, j.head, j.tail) != j.kept {
		return isOther
	}
	switch middle := content[j.head : len(content)-j.tail]; {
	case bytes.Equal(middle, j.old):
		return isOld
	case bytes.Equal(middle, j.new):
		return isNew
	case j.cutInOrder(middle), j.cutBySector(middle):
		return isMix
	}
	return isOther
}

// whole is the content that the rewrite was to bring about, told from any mix.
func (j journal) whole(content []byte) []byte {
	return slices.Concat(content[:j.head], j.new, content[len(content)-j.tail:])
}

// cutInOrder recognises a write that went from front to back and stopped at
// some byte, or one that finished where the truncation did not follow.
func (j journal) cutInOrder(middle []byte) bool {
	k := 0
	for k < len(middle) && k < len(j.new) && middle[k] == j.new[k] {
		k++
	}
	rest := middle[k:]
	return len(rest) == 0 || k < len(j.old) && bytes.Equal(rest, j.old[k:])
}

// sector is the piece of a file that reaches a disk as a whole.
const sector = 512

// cutBySector recognises what a power cut leaves of a page cache that was
// written back in any order: each sector is old, new, or zero where the file
// was growing.
func (j journal) cutBySector(middle []byte) bool {
	for at := 0; at < len(middle); {
		end := min(len(middle), at+sector-(j.head+at)%sector)
		if !j.eitherOr(middle[at:end], at) {
			return false
		}
		at = end
	}
	return true
}

func (j journal) eitherOr(piece []byte, at int) bool {
	end := at + len(piece)
	if end <= len(j.old) && bytes.Equal(piece, j.old[at:end]) || end <= len(j.new) && bytes.Equal(piece, j.new[at:end]) {
		return true
	}
	if n := len(j.new); at < n && n < end && end <= len(j.old) {
		// The file was to shrink, and the truncation did not follow.
		return bytes.Equal(piece[:n-at], j.new[at:]) && bytes.Equal(piece[n-at:], j.old[n:end])
	}
	if len(j.new) <= len(j.old) || end <= len(j.old) {
		return false
	}
	grown := max(0, len(j.old)-at) // from here on the file had no bytes before
	zeros := len(bytes.Trim(piece[grown:], "\x00")) == 0
	return zeros && bytes.Equal(piece[:grown], j.old[min(at, len(j.old)):min(at+grown, len(j.old))])
}
