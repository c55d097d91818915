// Package image owns the words of the image folder: Name, Size and the mark of
// a master. It does no I/O.
package image
