package store

import "os"

// Step is how far a clone is. A reflink counts the bytes of the disk, a copy
// those that have to be read: holes cost nothing.
type Step struct {
	Way         string // WayReflink or WayCopy
	Waiting     bool   // for its turn among the full copies
	Done, Total int64  // bytes; equal at the end
}

// Progress hears of every step, from the goroutine that clones.
type Progress func(Step)

// dataIn is how many of size bytes of src are data.
func dataIn(src *os.File, size int64) (sum int64, err error) {
	for off := int64(0); off < size; {
		data, hole, err := nextExtent(src, off, size)
		if err != nil {
			return 0, err
		}
		sum += hole - data
		off = hole
	}
	return sum, nil
}
