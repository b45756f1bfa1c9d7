package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// training runs the program on folder with a checkpoint in a folder of its own, and returns what was learned.
type training struct {
	checkpoint, saved string
	args              []string
}

func newTraining(t *testing.T, folder string, args ...string) *training {
	own := t.TempDir()
	tr := &training{checkpoint: filepath.Join(own, "checkpoint.npz"), saved: filepath.Join(own, "saved.npz")}
	tr.args = append([]string{"-data", folder, "-batch", "100", "-charts", "", "-checkpoint", tr.checkpoint, "-save", tr.saved}, args...)
	return tr
}

// run trains up to so many epochs, and returns the file of parameters and what the program said.
func (tr *training) run(t *testing.T, args ...string) (parameters []byte, status string) {
	t.Helper()
	out, status, code := mnist(t, nil, append(tr.args, args...)...)
	require.Zero(t, code, status)
	accuracyOf(t, out)
	parameters, err := os.ReadFile(tr.saved)
	require.NoError(t, err)
	return parameters, status
}

func TestResumedTrainingHasTheBitsOfAnUninterruptedOne(t *testing.T) {
	folder := smallData(t)
	for _, model := range []string{"mlp", "lenet"} {
		t.Run(model, func(t *testing.T) {
			want, _ := newTraining(t, folder, "-model", model).run(t, "-epochs", "2")
			tr := newTraining(t, folder, "-model", model)
			first, _ := tr.run(t, "-epochs", "1")
			require.NotEqual(t, want, first)
			got, status := tr.run(t, "-epochs", "2", "-resume")
			require.Contains(t, status, "after step 6")
			require.Equal(t, want, got)
		})
	}
}

func TestDamagedCheckpointFallsBackToThePreviousOne(t *testing.T) {
	folder := smallData(t)
	want, _ := newTraining(t, folder).run(t, "-epochs", "3")
	for name, damage := range map[string]func(path string) error{
		"cut off":  func(path string) error { return os.Truncate(path, 5000) },
		"empty":    func(path string) error { return os.Truncate(path, 0) },
		"no array": func(path string) error { return os.WriteFile(path, []byte("no archive"), 0o600) },
		"missing":  os.Remove,
		"one bit": func(path string) error {
			content, err := os.ReadFile(path)
			if err == nil {
				content[len(content)/2] ^= 4
				err = os.WriteFile(path, content, 0o600)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTraining(t, folder)
			tr.run(t, "-epochs", "2")
			require.NoError(t, damage(tr.checkpoint))
			got, status := tr.run(t, "-epochs", "3", "-resume")
			require.Contains(t, status, "the previous one is used")
			require.Contains(t, status, tr.checkpoint+".previous, after step 6")
			require.Equal(t, want, got)
			got, status = tr.run(t, "-epochs", "3", "-resume")
			require.NotContains(t, status, "previous")
			require.Equal(t, want, got)
		})
	}
}

func TestResumeWithoutACheckpointStartsAtTheBeginning(t *testing.T) {
	folder := smallData(t)
	want, _ := newTraining(t, folder).run(t, "-epochs", "1")
	got, status := newTraining(t, folder).run(t, "-epochs", "1", "-resume")
	require.Contains(t, status, "training starts at the beginning")
	require.Equal(t, want, got)
}

func TestCheckpointThatCannotBeUsedIsAnError(t *testing.T) {
	folder := smallData(t)
	tr := newTraining(t, folder)
	tr.run(t, "-epochs", "2")
	refused := func(want string, args ...string) {
		t.Helper()
		_, status, code := mnist(t, nil, append(append(tr.args, "-resume"), args...)...)
		require.Equal(t, 1, code)
		require.Contains(t, status, want)
	}
	refused("of another training", "-seed", "2")
	refused("of another training", "-model", "lenet")
	refused("of another training", "-batch", "50")
	for _, path := range []string{tr.checkpoint, tr.checkpoint + ".previous"} {
		require.NoError(t, os.Truncate(path, 100))
	}
	refused("no checkpoint to resume from")
}
