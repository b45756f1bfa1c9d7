package enginetest

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

var cancellations = []property{
	{"OperationsOfACancelledScopeAreSkipped", cancelledSkipped},
	{"TheCauseOfACancelledScopeIsReported", causeReported},
	{"RunningOperationsOfACancelledScopeFinish", runningFinish},
	{"FreeingIsNotCancelled", freeingNotCancelled},
}

func within(ctx context.Context, op *engine.Operation) *engine.Operation {
	op.Context = ctx
	return op
}

func cancelledSkipped(t *testing.T, new factory) {
	for kind, host := range kinds {
		t.Run(kind, func(t *testing.T) {
			s := start(t, new)
			gate, v, w, outside := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
			ctx, cancel := context.WithCancel(context.Background())
			release := s.blocked(write(gate))
			ran := 0
			op := within(ctx, leaf("cancelled", func() { t.Error("cancelled ran") }, read(gate), write(v)))
			op.Host = host
			s.Push(op)
			s.Push(leaf("behind", func() { t.Error("behind ran") }, read(v), write(w)))
			s.Push(leaf("outside", func() { ran++ }, read(gate), write(outside)))
			cancel()
			release()
			require.ErrorIs(t, s.wait(v), context.Canceled)
			require.ErrorIs(t, s.wait(w), context.Canceled)
			require.Equal(t, "cancelled", errorOf(t, s.wait(w)).Root.Operator)
			require.Same(t, op.Site, errorOf(t, s.wait(v)).Site)
			require.NoError(t, s.wait(outside))
			require.Equal(t, 1, ran)
			require.Zero(t, v.Version())
			s.Push(within(ctx, leaf("late", func() { t.Error("late ran") }, write(outside))))
			require.ErrorIs(t, s.wait(outside), context.Canceled)
		})
	}
}

func causeReported(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	s.Push(within(ctx, leaf("cancelled", func() { t.Error("cancelled ran") }, write(v))))
	require.ErrorIs(t, s.wait(v), enough)

	ctx, stop := context.WithTimeout(context.Background(), 0)
	defer stop()
	s.Push(within(ctx, leaf("late", func() { t.Error("late ran") }, write(v))))
	require.ErrorIs(t, s.wait(v), context.DeadlineExceeded)
}

func runningFinish(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	ctx, cancel := context.WithCancel(context.Background())
	finished := false
	op := within(ctx, hosted("running", nil, write(v)))
	op.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
		cancel()
		<-rc.Context.Done()
		finished = true
		return nil
	})
	s.Push(op)
	require.NoError(t, s.wait(v))
	require.True(t, finished)
	require.Equal(t, uint64(1), v.Version())
}

func freeingNotCancelled(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.Push(failing("root", errBroken, write(v)))
	freed := false
	op := within(ctx, leaf("free", func() { freed = true }, write(v)))
	op.Property = engine.DeleteVar
	s.Push(op)
	require.ErrorIs(t, s.waitAll(), errBroken)
	require.True(t, freed)
}
