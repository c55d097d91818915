// Package atomicfile owns durable writes. Write and Replace put a whole new
// file in the place of the old one; Rewrite changes a file in place, guarded
// by a journal, where its inode has to stay. MkdirAll makes folders. Open and
// ReadFile take regular files alone. It knows no file format.
package atomicfile
