package enginetest

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

var chains = []property{
	{"DependantsOfAFailureAreSkipped", dependantsSkipped},
	{"ErrorsOfLongChainsAreBounded", longChain},
	{"SiblingsOfAFailureStayInError", siblings},
	{"WaitAllReportsEveryRootOnce", severalRoots},
	{"KeepOnSkipLeavesUpdatedVariablesValid", keepOnSkip},
	{"KeepOnSkipDoesNotHideAFailure", keepOnSkipFailing},
	{"AnUntouchedFailureIsLikeASkip", untouchedFailure},
	{"NoSkipRunsInSpiteOfErrors", noSkip},
}

func dependantsSkipped(t *testing.T, new factory) {
	s := start(t, new)
	vars := s.variables(5)
	ran := false
	run := func() { ran = true }
	s.Push(failing("root", errBroken, write(vars[0])))
	reader := leaf("reader", run, read(vars[0]), write(vars[1]))
	s.Push(reader)
	s.Push(leaf("updater", run, update(vars[0]), write(vars[2])))
	s.Push(leaf("second", run, read(vars[4]), read(vars[1]), update(vars[3])))
	require.ErrorIs(t, s.waitAll(), errBroken)
	require.False(t, ran)

	root := errorOf(t, s.waitAll())
	for i, want := range []struct {
		operator, via string
		links         int
	}{{"updater", "root", 1}, {"reader", "root", 1}, {"updater", "root", 1}, {"second", "reader", 2}} {
		err := s.wait(vars[i])
		require.ErrorIs(t, err, errBroken)
		e := errorOf(t, err)
		require.Equal(t, want.operator, e.Operator)
		require.Equal(t, want.via, e.Via)
		require.Equal(t, want.links, e.Links)
		require.Same(t, root, e.Root)
	}
	require.Same(t, reader.Site, errorOf(t, s.wait(vars[1])).Site)
	require.NoError(t, s.wait(vars[4]))
	require.Equal(t, uint64(3), s.Stats().Skipped)
	require.Equal(t, uint64(1), s.Stats().Failed)
	for _, v := range vars {
		require.Zero(t, v.Version())
	}
}

func longChain(t *testing.T, new factory) {
	const length = 2000
	s := start(t, new)
	v := s.NewVar()
	s.Push(failing("root", errBroken, write(v)))
	for i := range length {
		next := s.NewVar()
		s.Push(leaf(fmt.Sprint("link", i), func() { t.Error("a link ran") }, read(v), write(next)))
		v = next
	}
	err := s.wait(v)
	require.ErrorIs(t, err, errBroken)
	e := errorOf(t, err)
	require.Equal(t, length, e.Links)
	require.Equal(t, fmt.Sprint("link", length-2), e.Via)
	require.Equal(t, "root", e.Root.Operator)
	require.Nil(t, e.Root.Root, "the chain is not kept")
	require.Less(t, len(err.Error()), 300)
}

// siblings asserts the opposite of MXNet, where the first wait clears the error of every output.
func siblings(t *testing.T, new factory) {
	s := start(t, new)
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	s.Push(failing("pair", errBroken, write(a), write(b)))
	require.ErrorIs(t, s.wait(a), errBroken)
	require.ErrorIs(t, s.wait(b), errBroken)
	require.ErrorIs(t, s.waitAll(), errBroken)
	s.Push(leaf("late", func() { t.Error("late ran") }, read(b), write(c)))
	require.ErrorIs(t, s.wait(c), errBroken)
	s.Push(leaf("cure", func() {}, write(a)))
	require.NoError(t, s.wait(a))
	require.ErrorIs(t, s.wait(b), errBroken)
}

func severalRoots(t *testing.T, new factory) {
	s := start(t, new)
	vars := s.variables(4)
	s.Push(failing("one", errBroken, write(vars[0]), write(vars[1])))
	s.Push(failing("two", io.ErrUnexpectedEOF, write(vars[2])))
	s.Push(leaf("both", func() {}, read(vars[0]), read(vars[2]), write(vars[3])))
	for range 2 {
		err := s.waitAll()
		require.ErrorIs(t, err, errBroken)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 2)
	}
}

// keepOnSkip is an optimiser step: it updates weights, and reports through a status.
func keepOnSkip(t *testing.T, new factory) {
	s := start(t, new)
	gradient, weight, status := s.NewVar(), s.NewVar(), s.NewVar()
	value := 0
	step := func() *engine.Operation {
		op := leaf("step", func() { value++ }, read(gradient), update(weight), write(status))
		op.KeepOnSkip = true
		return op
	}
	s.Push(step())
	s.Push(failing("gradient", errBroken, write(gradient)))
	s.Push(step())
	require.NoError(t, s.wait(weight))
	require.ErrorIs(t, s.wait(status), errBroken)
	require.Equal(t, "step", errorOf(t, s.wait(status)).Operator)
	require.Equal(t, uint64(1), weight.Version())
	require.Equal(t, uint64(1), status.Version())

	s.Push(leaf("gradient", func() {}, write(gradient)))
	s.Push(step())
	s.requireDone()
	require.Equal(t, 2, value)
	require.Equal(t, uint64(2), weight.Version())
}

func keepOnSkipFailing(t *testing.T, new factory) {
	s := start(t, new)
	weight, status, input := s.NewVar(), s.NewVar(), s.NewVar()
	op := failing("step", errBroken, update(weight), write(status))
	op.KeepOnSkip = true
	s.Push(op)
	require.ErrorIs(t, s.wait(weight), errBroken, "it ran, and may have left anything")
	require.ErrorIs(t, s.wait(status), errBroken)

	op = leaf("again", func() { t.Error("again ran") }, read(input), update(weight))
	op.KeepOnSkip = true
	s.Push(op)
	require.ErrorIs(t, s.wait(weight), errBroken, "what was in error before stays so")
	require.Equal(t, "step", errorOf(t, s.wait(weight)).Operator)
}

func untouchedFailure(t *testing.T, new factory) {
	for _, keep := range []bool{true, false} {
		s := start(t, new)
		weight, status := s.NewVar(), s.NewVar()
		s.Push(leaf("weight", nothing, write(weight)))
		op := failing("step", engine.Untouched(errBroken), update(weight), write(status))
		op.KeepOnSkip = keep
		s.Push(op)
		require.ErrorIs(t, s.wait(status), errBroken)
		require.Equal(t, keep, s.wait(weight) == nil)
		require.Equal(t, uint64(1), weight.Version())
		require.Equal(t, uint64(1), s.Stats().Failed)
	}
}

func noSkip(t *testing.T, new factory) {
	s := start(t, new)
	bad, result := s.NewVar(), s.NewVar()
	s.Push(failing("root", errBroken, write(bad)))
	ran := 0
	op := leaf("stubborn", func() { ran++ }, read(bad), write(result))
	op.Property = engine.NoSkip
	s.Push(op)
	require.NoError(t, s.wait(result))
	require.Equal(t, 1, ran)
	require.Equal(t, uint64(1), result.Version())

	op = leaf("stubborn", func() { ran++ }, update(bad))
	op.Property = engine.NoSkip
	s.Push(op)
	require.ErrorIs(t, s.wait(bad), errBroken, "to run is not to cure")
	require.Equal(t, 2, ran)
}
