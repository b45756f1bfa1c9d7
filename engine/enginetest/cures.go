package enginetest

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
)

var cures = []property{
	{"AWholeWriteCures", wholeWriteCures},
	{"AnUpdateAndAPartialWriteDoNotCure", partialDoNotCure},
	{"AnUpdateThatReplacesAPartCuresThePart", replacedPart},
	{"AFailedWriteBringsItsOwnError", failedWrite},
	{"ACureReachesWhatIsPushedAfterIt", cureOrder},
}

func wholeWriteCures(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	for range 3 {
		s.Push(failing("root", errBroken, write(v)))
		s.Push(leaf("skipped", func() { t.Error("skipped ran") }, read(v), write(w)))
		require.ErrorIs(t, s.wait(w), errBroken)
		s.Push(leaf("cure", func() {}, write(v)))
		require.NoError(t, s.wait(v))
		require.ErrorIs(t, s.wait(w), errBroken, "what was made of the old contents stays in error")
		s.Push(leaf("again", func() {}, read(v), write(w)))
		s.requireDone()
	}
}

func partialDoNotCure(t *testing.T, new factory) {
	for name, access := range map[string]func(v *engine.Var) engine.Access{
		"update":         update,
		"partial update": partOf(engine.Update, 0, 8),
		"partial write":  partOf(engine.Write, 0, 8),
		"read":           read,
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, new)
			v := s.NewVar()
			s.Push(failing("root", errBroken, write(v)))
			ran := false
			s.Push(leaf("touch", func() { ran = true }, access(v)))
			require.ErrorIs(t, s.wait(v), errBroken)
			require.ErrorIs(t, s.waitAll(), errBroken)
			require.Equal(t, name == "partial write", ran, "a write has no inputs")
		})
	}
}

func replacedPart(t *testing.T, new factory) {
	part := func(v *engine.Var, replaces bool, lo, hi int64) engine.Access {
		return engine.Access{Var: v, Mode: engine.Update, Replaces: replaces, Lo: lo, Hi: hi}
	}
	for _, together := range []bool{false, true} {
		s := start(t, new)
		v, whole := s.NewVar(), s.NewVar()
		push := func(ops ...*engine.Operation) {
			if !together {
				for _, op := range ops {
					s.Push(op)
				}
				return
			}
			s.Bulk(8, func(p engine.Pusher) {
				for _, op := range ops {
					p.Push(op)
				}
			})
		}
		ran := 0
		push(
			failing("first", errBroken, part(v, false, 0, 8)), failing("second", errBroken, part(v, false, 16, 24)),
			leaf("replaces", func() { ran++ }, part(v, true, 0, 12)),
			failing("all", errBroken, write(whole)),
			leaf("has no memory", func() { t.Error("what replaces a part of what is in error as a whole has run") }, part(whole, true, 0, 8)),
		)
		require.ErrorIs(t, s.wait(whole), errBroken)
		require.Equal(t, "second", errorOf(t, s.wait(v)).Operator)
		seen := s.NewVar()
		push(leaf("reads", func() { ran++ }, part(v, false, 0, 8), write(seen)))
		require.NoError(t, s.wait(seen))
		push(leaf("replaces", func() { ran++ }, part(v, true, 12, 30)))
		require.NoError(t, s.wait(v))
		require.Equal(t, 3, ran)
		push(failing("again", errBroken, part(v, true, 0, 8)))
		require.Equal(t, "again", errorOf(t, s.wait(v)).Operator)
	}
}

func failedWrite(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	s.Push(failing("first", errBroken, write(v)))
	s.Push(failing("second", io.ErrUnexpectedEOF, write(v)))
	for _, err := range []error{s.wait(v), s.waitAll()} {
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.NotErrorIs(t, err, errBroken)
		require.Equal(t, "second", errorOf(t, err).Operator)
	}
}

func cureOrder(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	outputs := s.variables(40)
	release := s.blocked(write(v))
	for i, output := range outputs {
		switch i % 4 {
		case 0:
			s.Push(failing("root", errBroken, update(v)))
		case 2:
			s.Push(leaf("cure", func() {}, write(v)))
		}
		s.Push(leaf("use", func() {}, read(v), write(output)))
	}
	release()
	for i, output := range outputs {
		require.Equal(t, i%4 >= 2, s.wait(output) == nil, "use %d", i)
	}
}
