package dhcphosts

import "strings"

// shelf is how many lines are kept as one text, so that one changed line does
// not make a hundred thousand be put together again.
const shelf = 256

// Bytes is the whole file.
func (f *File) Bytes() []byte { return f.assemble(nil) }

// assemble is the file with other texts in the place of some lines'.
func (f *File) assemble(instead map[int32]string) []byte {
	other := map[int]bool{}
	size := 0
	for at, t := range instead {
		other[int(at)/shelf] = true
		size += len(t)
	}
	shelves := (len(f.lines) + shelf - 1) / shelf
	for n := range shelves {
		size += len(f.shelfText(n))
	}
	b := make([]byte, 0, size)
	for n := range shelves {
		if !other[n] {
			b = append(b, f.shelfText(n)...)
			continue
		}
		for i := n * shelf; i < min((n+1)*shelf, len(f.lines)); i++ {
			if t, ok := instead[int32(i)]; ok {
				b = append(b, t...)
				continue
			}
			b = append(b, f.lines[i].text...)
		}
	}
	return b
}

// shelfText joins the lines of shelf n, which share its memory from then on.
func (f *File) shelfText(n int) string {
	if n < len(f.joined) && f.joined[n] != "" {
		return f.joined[n]
	}
	lines := f.lines[n*shelf : min((n+1)*shelf, len(f.lines))]
	var b strings.Builder
	for i := range lines {
		b.WriteString(lines[i].text)
	}
	text, from := b.String(), 0
	for i := range lines {
		to := from + len(lines[i].text)
		lines[i].text, from = text[from:to], to
	}
	for len(f.joined) <= n {
		f.joined = append(f.joined, "")
	}
	f.joined[n] = text
	return text
}

// touch says that line at is not what its shelf holds.
func (f *File) touch(at int32) {
	if n := int(at) / shelf; n < len(f.joined) {
		f.joined[n] = ""
	}
}
