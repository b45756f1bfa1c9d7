package enginetest

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

var forgettings = []property{
	{"WaitAllForgetsVariablesThatNobodyHolds", forgetsGarbage},
	{"WaitAllKeepsErrorsOfVariablesInUse", keepsReachable},
}

// collections bounds how often the collector is asked to find what is garbage.
const collections = 1000

func abandon(s *subject) {
	v, w := s.NewVar(), s.NewVar()
	s.Push(failing("abandoned", errBroken, write(v)))
	s.Push(leaf("behind", func() {}, read(v), write(w)))
	require.ErrorIs(s.t, s.wait(w), errBroken)
}

func forgetsGarbage(t *testing.T, new factory) {
	s := start(t, new)
	for range 10 {
		abandon(s)
	}
	require.Error(t, s.waitAll())
	for range collections {
		runtime.GC()
		if s.waitAll() == nil {
			return
		}
	}
	t.Errorf("after %d collections there is still %v", collections, s.waitAll())
}

func keepsReachable(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	s.Push(failing("kept", errBroken, write(v)))
	abandon(s)
	for range collections {
		runtime.GC()
		err := s.waitAll()
		require.ErrorIs(t, err, errBroken)
		if len(err.(interface{ Unwrap() []error }).Unwrap()) == 1 {
			require.Equal(t, "kept", errorOf(t, err).Operator)
			runtime.KeepAlive(v)
			return
		}
	}
	t.Errorf("after %d collections there is still %v", collections, s.waitAll())
}
