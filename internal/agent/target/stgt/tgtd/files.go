package tgtd

import "golang.org/x/sys/unix"

// wantFiles is enough for some ten thousand LUNs and connections.
const wantFiles = 1 << 17

// raiseFiles lifts the limit of open files as far as we may: a LUN takes one,
// a connection another.
func (s *Supervisor) raiseFiles(pid int) {
	var now unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &now); err != nil || now.Cur >= wantFiles {
		return
	}
	want := unix.Rlimit{Cur: wantFiles, Max: max(wantFiles, now.Max)}
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &want, nil); err == nil {
		return
	}
	most := unix.Rlimit{Cur: now.Max, Max: now.Max}
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &most, nil); err != nil {
		s.Log.Warn("tgtd keeps its limit of open files", "limit", now.Cur, "error", err)
	}
}
