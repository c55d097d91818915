package task

import "path/filepath"

// leftFile stands beside the tasks.
const leftFile = "leftovers.json"

// Kept is a file of a Registry, and why what it holds would be forgotten; nil:
// it would not.
type Kept struct {
	Path string
	Err  error
}

// Inspect reads the files of a Registry as Open would, and changes nothing.
func Inspect(path string) []Kept {
	left := filepath.Join(filepath.Dir(path), leftFile)
	return []Kept{{path, read(path, new(stored))}, {left, read(left, new(storedLeft))}}
}
