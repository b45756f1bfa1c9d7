package enginetest

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

var operators = []property{
	{"AnOperatorIsACopy", operatorCopies},
	{"AnOperatorIsCheckedWhenItIsMade", operatorChecked},
	{"ADeletedOperatorIsRefused", operatorDeleted},
	{"ADeletedVariableIsFreedWhenItsUsersAreDone", variableFreed},
	{"ADeletedVariableIsRefused", variableRefused},
	{"DeletingAVariableRunsNothingElse", deletionIsFree},
	{"PendingBytesStayBounded", bytesBounded},
}

func operatorCopies(t *testing.T, new factory) {
	s := start(t, new)
	v, w, ran := s.NewVar(), s.NewVar(), 0
	op := leaf("count", func() { ran++ }, update(v))
	operator := s.NewOperator(*op)
	op.Function, op.Accesses[0] = function(func() error { return errBroken }), write(w)
	release := s.blocked(write(v))
	for range 5 {
		s.Push(operator)
	}
	require.Zero(t, operator.Accesses[0].Sequence)
	require.Equal(t, uint64(6), v.Sequence())
	release()
	s.requireDone()
	require.Equal(t, 5, ran)
	require.Zero(t, w.Sequence())

	again := s.NewOperator(*operator)
	s.DeleteOperator(operator)
	s.Push(again)
	s.requireDone()
	require.Equal(t, 6, ran)
}

func operatorChecked(t *testing.T, new factory) {
	s, other := start(t, new), start(t, new)
	v := s.NewVar()
	for text, op := range map[string]*engine.Operation{
		"function":       {Name: "bad", Accesses: []engine.Access{write(v)}},
		"another engine": leaf("bad", nothing, write(other.NewVar())),
		"access 1":       leaf("bad", nothing, read(v), read(nil)),
		"[5,4)":          leaf("bad", nothing, part(update(v), 5, 4)),
		"-3 bytes":       {Name: "bad", Function: function(func() error { return nil }), Bytes: -3},
	} {
		e := recoverError(t, func() { s.NewOperator(*op) })
		require.ErrorIs(t, e, fault.ErrMisuse)
		require.Equal(t, "engine.NewOperator: bad", e.Operator)
		require.Contains(t, e.Error(), text)
		require.NotNil(t, e.Site)
	}
}

func operatorDeleted(t *testing.T, new factory) {
	s, other := start(t, new), start(t, new)
	v, ran := s.NewVar(), 0
	count := leaf("count", func() { ran++ }, update(v))
	operator := s.NewOperator(*count)
	release := s.blocked(read(v))
	s.Push(operator)
	s.DeleteOperator(operator)
	foreign := other.NewOperator(*leaf("foreign", nothing))
	for text, misuse := range map[string]func(){
		"was deleted":           func() { s.Push(operator) },
		"deleted before":        func() { s.DeleteOperator(operator) },
		"is nil":                func() { s.DeleteOperator(nil) },
		"NewOperator":           func() { s.DeleteOperator(count) },
		"not made by":           func() { s.DeleteOperator(foreign) },
		"the operator belongs":  func() { s.Push(foreign) },
		"the operator was dele": func() { s.NewBulk(3).Push(operator) },
	} {
		e := recoverError(t, misuse)
		require.ErrorIs(t, e, fault.ErrMisuse)
		require.Contains(t, e.Error(), text)
	}
	release()
	s.requireDone()
	require.Equal(t, 1, ran, "what was pushed before the deletion runs")
}

func variableFreed(t *testing.T, new factory) {
	s := start(t, new)
	v, bad, gate := s.NewVar(), s.NewVar(), s.NewVar()
	var users, freed atomic.Int32
	release := s.blocked(write(gate))
	for i := range 20 {
		op := leaf("use", func() { users.Add(1) }, read(gate), engine.Access{Var: v, Mode: engine.Mode(i % 3)})
		op.Host = i%5 == 0
		s.Push(op)
	}
	s.Push(failing("root", errBroken, write(bad)))
	s.DeleteVar(v, func() {
		if n := users.Load(); n != 20 {
			t.Errorf("freed when %d of 20 users had ended", n)
		}
		freed.Add(1)
	})
	s.DeleteVar(bad, func() { freed.Add(1) })
	s.DeleteVar(s.NewVar(), nil)
	require.ErrorIs(t, s.wait(bad), errBroken)
	require.Equal(t, int32(1), freed.Load(), "a failure does not keep memory")
	release()
	require.NoError(t, s.wait(v))
	require.Equal(t, int32(2), freed.Load())
}

func variableRefused(t *testing.T, new factory) {
	s, other := start(t, new), start(t, new)
	v := s.NewVar()
	operator := s.NewOperator(*leaf("early", nothing, read(v)))
	s.DeleteVar(v, func() {})
	for text, misuse := range map[string]func(){
		"variable of access 0 was": func() { s.Push(leaf("late", nothing, write(v))) },
		"early":                    func() { s.Push(operator) },
		"engine.NewOperator":       func() { s.NewOperator(*leaf("late", nothing, read(v))) },
		"was deleted before":       func() { s.DeleteVar(v, nothing) },
		"nil":                      func() { s.DeleteVar(nil, nothing) },
		"another engine":           func() { s.DeleteVar(other.NewVar(), nothing) },
	} {
		e := recoverError(t, misuse)
		require.ErrorIs(t, e, fault.ErrMisuse)
		require.Contains(t, e.Error(), text)
	}
	require.NoError(t, s.wait(v))
	s.requireDone()
}

// deletionIsFree deletes a variable over the limit, while a leaf is ready that no worker has time for.
func deletionIsFree(t *testing.T, new factory) {
	for range 10 {
		pool := parallel.New(1)
		s := start(t, new, engine.WithPool(pool), engine.WithLimit(4))
		busy := Occupy(t, pool)
		var releases []func()
		for range 8 {
			releases = append(releases, s.blocked())
		}
		v, opened := s.NewVar(), s.NewVar()
		open := s.blocked(write(v), write(opened))
		var deleting atomic.Bool
		caller := goroutine()
		s.Push(leaf("leaf", func() {
			if deleting.Load() && goroutine() == caller {
				t.Error("DeleteVar has run a leaf")
			}
		}, update(v)))
		open()
		require.NoError(t, s.wait(opened))
		deleting.Store(true)
		s.delete(s.NewVar())
		deleting.Store(false)
		for _, release := range releases {
			release()
		}
		busy.Release()
		require.NoError(t, s.Close(context.Background()))
		pool.Close()
	}
}

// goroutine returns the name of the goroutine that calls it.
func goroutine() string {
	stack := make([]byte, 64)
	name, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), " [")
	return name
}

func bytesBounded(t *testing.T, new factory) {
	const limit, each = 1000, 100
	count := 20_000
	if testing.Short() {
		count = 4_000
	}
	s := start(t, new, engine.WithByteLimit(limit))
	vars := s.variables(3)
	var ran [3]int
	most := 0
	for i := range count {
		op := leaf("count", func() { ran[i%3]++ }, update(vars[i%3]), read(vars[(i+i/7)%3]))
		op.Bytes = each
		s.Push(op)
		most = max(most, each*(i+1-int(s.Stats().Done)))
	}
	require.LessOrEqual(t, most, limit)
	huge := leaf("huge", func() { ran[0]++ }, update(vars[0]))
	huge.Bytes = 100 * limit
	for range 10 {
		s.Push(huge)
		require.NoError(t, s.wait(vars[0]))
	}
	s.requireDone()
	require.Equal(t, count+10, ran[0]+ran[1]+ran[2])
}
