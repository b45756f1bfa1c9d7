package train_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/train"
)

// scripted adds a value to each epoch, out of a list.
func scripted(name string, values ...float64) func(*train.Trainer) {
	return with(train.Func(func(_ context.Context, e *train.Event) error {
		if e.Kind == train.EpochEnded {
			e.Values[name] = values[e.Epoch-1]
		}
		return nil
	}))
}

func TestTrainingEndsWhenItGetsNoBetter(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		values   []float64
		higher   bool
		patience int
		want     int // epochs
	}{
		"falls on":        {[]float64{5, 4, 3, 2, 1}, false, 1, 5},
		"rises":           {[]float64{5, 6, 7, 8, 9}, false, 2, 3},
		"rises, as it is": {[]float64{5, 6, 7, 8, 9}, true, 2, 5},
		"level":           {[]float64{5, 5, 5, 5, 5}, true, 3, 4},
		"recovers":        {[]float64{5, 6, 4, 5, 5}, false, 2, 5},
		"not a number":    {[]float64{5, nan, nan, 1, 1}, false, 2, 3},
		"never a number":  {[]float64{nan, nan, nan, 1, 1}, false, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "checkpoint.npz")
			// stopping ends after so many epochs of a call, so that the rest has to know what was before.
			stopping := func() *train.Trainer {
				return newTrainer(scripted("v", c.values...), with(train.NewEarlyStopping("v", c.higher, c.patience)), at(path, 0))
			}
			require.Equal(t, c.want*steps, fit(t, stopping(), 5).Step())
			require.NoError(t, os.Remove(path))
			for epochs := 1; epochs <= 5; epochs++ {
				tr := stopping()
				if epochs > 1 {
					from, err := tr.Resume()
					require.NoError(t, err)
					require.NoError(t, from.Problem)
				}
				require.Equal(t, min(epochs, c.want)*steps, fit(t, tr, epochs).Step())
			}
		})
	}
	require.ErrorContains(t, newTrainer(with(train.NewEarlyStopping("v", true, 1))).Fit(context.Background(), 1), `early stopping: there is no metric "v"`)
}

func TestTrainingEndsAtWhicheverEventACallbackStopsItAndStaysEnded(t *testing.T) {
	for kind, made := range map[train.Kind]int{train.Began: 0, train.Stepped: 1, train.EpochEnded: steps} {
		path := filepath.Join(t.TempDir(), "checkpoint.npz")
		var why []error
		stopping := with(train.Func(func(_ context.Context, e *train.Event) error {
			switch e.Kind {
			case kind:
				return train.ErrStop
			case train.Ended:
				why = append(why, e.Err)
			}
			return nil
		}))
		first := newTrainer(at(path, 0), stopping)
		require.NoError(t, first.Fit(context.Background(), 2), kind)
		require.Equal(t, made, first.Step())
		require.Equal(t, []error{nil}, why)
		second := newTrainer(at(path, 0))
		found, err := second.Resume()
		require.NoError(t, err)
		require.Equal(t, path, found.Path)
		for _, tr := range []*train.Trainer{first, second} {
			require.Equal(t, made, fit(t, tr, 2).Step())
		}
	}
}

func TestBestModelIsThatOfTheBestEpoch(t *testing.T) {
	for name, load := range map[string]func(path string) (map[string]*nd.Array, error){
		"best.npz": nd.LoadNPZ, "best.safetensors": func(path string) (map[string]*nd.Array, error) {
			arrays, _, err := nd.LoadSafetensors(path)
			return arrays, err
		},
	} {
		t.Run(name, func(t *testing.T) { bestModel(t, filepath.Join(t.TempDir(), name), load) })
	}
}

func bestModel(t *testing.T, path string, load func(path string) (map[string]*nd.Array, error)) {
	best := train.NewBest(path, "v", true)
	require.Zero(t, first(best.Epoch()))
	tr := fit(t, newTrainer(scripted("v", 1, 3, 2, 3), with(best)), 4)
	epoch, value := best.Epoch()
	require.Equal(t, 2, epoch)
	require.Equal(t, 3.0, value)
	arrays, err := load(path)
	require.NoError(t, err)
	require.NoError(t, nn.SetState(tr.Model, arrays))
	want := bits(t, fit(t, newTrainer(), 2))
	for name, content := range bits(t, tr) {
		if strings.HasSuffix(name, "weight") {
			require.Equal(t, want[name], content)
		}
	}
}

func first[T any](v T, _ ...any) T { return v }

func TestBestModelThatCouldNotBeSavedIsSavedWhenItsEpochIsToldAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "best.npz")
	require.NoError(t, os.Mkdir(path, 0o777))
	best := train.NewBest(path, "loss", false)
	tr := newTrainer(with(best))
	require.ErrorContains(t, tr.Fit(context.Background(), 1), "best model")
	require.Zero(t, first(best.Epoch()))
	require.NoError(t, os.Remove(path))
	fit(t, tr, 1)
	require.Equal(t, 1, first(best.Epoch()))
	saved, err := nd.LoadNPZ(path)
	require.NoError(t, err)
	require.NoError(t, nn.SetState(tr.Model, saved))
}

func TestLogTellsOfEveryStepAndEpochOnceAlsoWhenResumed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	checkpoint := path + ".npz"
	fit(t, newTrainer(with(train.NewLog(path)), at(checkpoint, 0)), 3)
	want := entries(t, path)
	require.Len(t, want, 3*(steps+1))
	for i, e := range want {
		epoch, place := i/(steps+1), i%(steps+1)
		require.Equal(t, epoch+1, e.Epoch)
		if place == steps {
			require.Equal(t, "epoch", e.Kind)
			require.Len(t, e.Values, 4)
			require.Positive(t, e.Values["validation_loss"])
		} else {
			require.Equal(t, "step", e.Kind)
			require.Equal(t, epoch*steps+place+1, e.Step)
			require.Len(t, e.Values, 2)
		}
		require.Positive(t, e.Values["loss"])
	}
	require.NoError(t, os.Remove(checkpoint)) // the previous one is of the end of epoch 2
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"kind":"st`)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, want, entries(t, path+"")[:len(want)])
	tr := newTrainer(with(train.NewLog(path)), at(checkpoint, 0))
	_, err = tr.Resume()
	require.NoError(t, err)
	fit(t, tr, 3)
	require.Equal(t, want, entries(t, path))
	fit(t, newTrainer(with(train.NewLog(path))), 3)
	require.Equal(t, want, entries(t, path), "a new training begins a new log")
}

func TestLogTellsOfAnEpochOnceThatACallbackBehindItFailedAt(t *testing.T) {
	path, failed := filepath.Join(t.TempDir(), "log.jsonl"), false
	tr := newTrainer(with(train.NewLog(path)), with(train.Func(func(_ context.Context, e *train.Event) error {
		if e.Kind != train.EpochEnded || e.Epoch != 2 || failed {
			return nil
		}
		failed = true
		return os.ErrPermission
	})))
	require.ErrorIs(t, tr.Fit(context.Background(), 3), os.ErrPermission)
	fit(t, tr, 3)
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	all, err := train.ReadLog(file)
	require.NoError(t, err)
	require.Len(t, all, 3*(steps+1))
	for i, e := range all {
		require.Equal(t, i/(steps+1)+1, e.Epoch)
		require.Equal(t, i%(steps+1) == steps, e.Kind == "epoch")
	}
}

func TestLogKeepsWhatIsNotFinite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	fit(t, newTrainer(scripted("v", math.NaN(), math.Inf(1)), with(train.NewLog(path))), 2)
	all := entries(t, path)
	require.True(t, math.IsNaN(all[steps].Values["v"]))
	require.True(t, math.IsNaN(all[2*steps+1].Values["v"]))
	_, err := train.ReadLog(strings.NewReader(`{"kind":"step","epoch":1,"step":1,"loss":2}` + "\nnonsense"))
	require.ErrorContains(t, err, "line 2 of the log")
	_, err = train.ReadLog(strings.NewReader(`{"kind":"step","step":"one"}`))
	require.ErrorContains(t, err, "step")
	err = newTrainer(with(train.NewLog(filepath.Join(path, "below")))).Fit(context.Background(), 1)
	require.ErrorContains(t, err, "log: open")
}

// TestRatesLeaveTheValidationOut has steps of a second, and validations of a minute.
func TestRatesLeaveTheValidationOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	var out bytes.Buffer
	var clock time.Time
	takes := map[train.Kind]time.Duration{train.Stepped: time.Second, train.EpochEnded: time.Minute}
	passing := train.Func(func(_ context.Context, e *train.Event) error {
		clock = clock.Add(takes[e.Kind])
		return nil
	})
	log, progress := train.NewLog(path), train.NewProgress(&out)
	train.Clocked(func() time.Time { return clock }, log, progress)
	fit(t, newTrainer(with(passing), with(log), with(progress)), 2)
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	all, err := train.ReadLog(file)
	require.NoError(t, err)
	require.Len(t, all, 2*(steps+1))
	for i, e := range all {
		want := float64(size)
		switch i % (steps + 1) {
		case steps - 1:
			want = samples % size
		case steps:
			want = float64(samples) / steps
		}
		require.Equal(t, want, e.Values["samples_per_second"])
	}
	for line := range strings.Lines(out.String()) {
		require.Regexp(t, `  [78] samples/s$`, strings.TrimSpace(line))
	}
}

func TestProgressTellsOfEveryEpoch(t *testing.T) {
	var out bytes.Buffer
	fit(t, newTrainer(with(train.NewProgress(&out))), 2)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2*steps)
	require.Regexp(t, `^epoch 1/2   10%  step 1  loss \d\.\d{4}  accuracy \d\.\d{4}  \d+ samples/s$`, lines[0])
	require.Regexp(t, `^epoch 2/2  done  step 12  loss \S+  accuracy \S+  validation_accuracy \S+  validation_loss \S+  \d+ samples/s$`, lines[2*steps-1])
}
