package lio

import (
	"syscall"
	"testing"
)

// TestWhateverTheKernelRefusesIsToldAndHealed refuses each call of making and
// removing a target once, with what configfs answers: a busy or impossible
// value, no room, no right, a module on its way out.
func TestWhateverTheKernelRefusesIsToldAndHealed(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EBUSY, syscall.EINVAL, syscall.ENOSPC, syscall.ENOMEM, syscall.EACCES, syscall.EROFS, syscall.ENODEV} {
		t.Run(errno.Error(), func(t *testing.T) {
			s := inMemory(t)
			unchanged := foreignTarget(t, s, base+":of-others", image(t, 1<<20))
			e := private(t)
			for n := 0; ; n++ {
				f := &faulty{tree: s.tree, n: n, errno: errno}
				r := ensure(s.with(tree{f, f}), e, t)
				if r.Err != nil {
					wantNothing(t, s, e.IQN)
				}
				mustEnsure(t, s.backend(), e, r.Err != nil)
				g := &faulty{tree: s.tree, n: n, errno: errno}
				if err := s.with(tree{g, g}).Remove(t.Context(), e.IQN, false); err == nil {
					wantNothing(t, s, e.IQN)
				}
				if r := ensure(s.backend(), e, t); r.Err != nil {
					t.Errorf("after a removal that failed: %v", r.Err)
				}
				must(t, s.backend().Remove(t.Context(), e.IQN, false))
				wantNothing(t, s, e.IQN)
				if t.Failed() {
					t.Fatalf("that was call %d", n)
				}
				if !f.reached() && !g.reached() {
					break
				}
			}
			unchanged()
		})
	}
}
