package atomicfile

import "bytes"

// behind tells what somebody added to the end of a file in which a rewrite was
// cut off. readable says of a line whether a person may have written it.
func (j journal) behind(content []byte, readable func(line []byte) bool) (added []byte, ok bool) {
	for _, middle := range []int{max(len(j.old), len(j.new)), min(len(j.old), len(j.new))} {
		at := j.head + middle + j.tail
		if at == 0 || at >= len(content) || content[at-1] != '\n' && content[at-1] != 0 {
			continue
		}
		switch v := j.judge(content[:at]); {
		case v == isMix:
			return content[at:], true
		case v != isOther && middle > 0 && middle >= len(j.old):
			return nil, false // it is complete, or had not begun
		}
	}
	if j.tail > 0 || len(content) <= j.head || keptHash(content[:j.head], j.head, 0) != j.kept {
		return nil, false
	}
	return j.behindGrowth(content, readable)
}

// behindGrowth is for a file that was growing: where it ends tells nothing then.
// What was added may begin as our next line does, so a line that a person may
// have written is taken for his as a whole:
//
//	52:54:00:00:00:01,pc-01     ours
//	52:54:00:00:00:77,mine      his, and not our 52:54:00:00:00:02 cut off
//	52:54:00:00# mine           ours cut off, and his
func (j journal) behindGrowth(content []byte, readable func(line []byte) bool) (added []byte, ok bool) {
	at := j.head
	for at < len(content) && at-j.head < len(j.new) && content[at] == j.new[at-j.head] {
		at++
	}
	if at-j.head == len(j.new) {
		return nil, false // it is complete
	}
	at = parted(content, at, readable)
	if at <= j.head+len(j.old) {
		return nil, false // it had not begun, as far as anybody can tell
	}
	return bytes.TrimPrefix(content[at:], []byte("\n")), true
}

// parted is where in the line around at, which is as far as content can be ours,
// a person's own begins; 0: nowhere.
func parted(content []byte, at int, readable func(line []byte) bool) int {
	from, to := bytes.LastIndexByte(content[:at], '\n')+1, len(content)
	if n := bytes.IndexByte(content[at:], '\n'); n >= 0 {
		to = at + n
	}
	if readable(content[from:to]) {
		return from
	}
	for ; at > from; at-- {
		if readable(content[at:to]) {
			return at
		}
	}
	return 0
}
