package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var versions = []property{
	{"ReadsLeaveTheVersion", func(t *testing.T, new factory) {
		s := start(t, new)
		v := s.NewVar()
		for range 10 {
			s.Push(leaf("read", func() {}, read(v)))
		}
		s.requireDone()
		require.Zero(t, v.Version())
		require.Zero(t, v.Sequence())
	}},
	{"VersionCountsWrites", func(t *testing.T, new factory) {
		s := start(t, new)
		v := s.NewVar()
		for i := range 10 {
			s.Push(leaf("write", func() {
				if before := v.Version(); before != uint64(i) {
					t.Errorf("write %d sees version %d", i, before)
				}
			}, update(v)))
		}
		s.requireDone()
		require.Equal(t, uint64(10), v.Version())
	}},
	{"VersionCountsSuccessfulWritesOnly", func(t *testing.T, new factory) {
		s := start(t, new)
		v := s.NewVar()
		s.Push(leaf("write", func() {}, write(v)))
		s.Push(failing("bad", errBroken, update(v)))
		s.Push(leaf("skipped", func() {}, update(v)))
		require.ErrorIs(t, s.wait(v), errBroken)
		require.Equal(t, uint64(1), v.Version())
		require.Equal(t, uint64(3), v.Sequence())
		s.Push(leaf("cure", func() {}, write(v)))
		s.requireDone()
		require.Equal(t, uint64(2), v.Version())
	}},
	{"SequenceIsKnownWhenPushReturns", func(t *testing.T, new factory) {
		s := start(t, new)
		v, w := s.NewVar(), s.NewVar()
		release := s.blocked(read(v), read(w))
		for i := range uint64(5) {
			op := leaf("write", func() {}, write(v), read(w))
			s.Push(op)
			require.Equal(t, i+1, op.Accesses[0].Sequence)
			require.Zero(t, op.Accesses[1].Sequence)
			require.Equal(t, i+1, v.Sequence())
			require.Zero(t, v.Version())
		}
		release()
		s.requireDone()
		require.Equal(t, uint64(5), v.Version())
		require.Zero(t, w.Sequence())
	}},
}
