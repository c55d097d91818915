package export

import "time"

// Observer hears of what has ended. It must not block.
type Observer interface {
	Disk(Ended)
	Scan(err error)
	Restart() // the iSCSI server was found to be started anew
}

// Ended is what became of a disk that was asked for.
type Ended struct {
	Cloned bool   // of a master, or meant to be
	Way    string // of the clone; empty: it ended before that was known
	Bytes  int64  // of the disk
	Err    error
	Took   time.Duration
}

type nobody struct{}

func (nobody) Disk(Ended) {}
func (nobody) Scan(error) {}
func (nobody) Restart()   {}
