package train_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

func TestResumedTrainingHasTheBitsOfAnUninterruptedOne(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		folder := t.TempDir()
		patience := func(tr *train.Trainer) { with(train.NewEarlyStopping("validation_loss", false, 3))(tr) }
		want := bits(t, fit(t, newTrainer(patience), 4))
		for _, stop := range []int{1, steps - 1, steps, steps + 1, 3*steps + 2} {
			path := filepath.Join(folder, "checkpoint.npz")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			first := newTrainer(way, patience, at(path, 0), with(train.Func(func(_ context.Context, e *train.Event) error {
				if e.Kind == train.Stepped && e.Step == stop {
					cancel()
				}
				return nil
			})))
			require.ErrorIs(t, first.Fit(ctx, 4), context.Canceled)
			second := newTrainer(way, patience, at(path, 0), func(tr *train.Trainer) { tr.Env.Generator().Next() })
			from, err := second.Resume()
			require.NoError(t, err)
			require.Equal(t, train.Resumed{Path: path, Step: stop}, from)
			require.Equal(t, bits(t, first), bits(t, second))
			require.Equal(t, want, bits(t, fit(t, second, 4)), "stopped after step %d", stop)
		}
	})
}

func TestValidationThatIsInterruptedChangesNothingOfTheRest(t *testing.T) {
	const epochs = 3
	for name, validation := range map[string]func(tr *train.Trainer) *data.Loader{
		"shuffled": func(tr *train.Trainer) *data.Loader {
			return data.NewLoader(newSet(tr.Env), 10, data.Shuffle(tr.Env), data.DropLast())
		},
		"rolled over": func(tr *train.Trainer) *data.Loader {
			return data.NewLoader(newSet(tr.Env), 10, data.Shuffle(tr.Env), data.Last(data.RollOver))
		},
		"the loader of the training": func(tr *train.Trainer) *data.Loader {
			tr.Loader = data.NewLoader(newSet(tr.Env), 10, data.Shuffle(tr.Env), data.Last(data.RollOver))
			return tr.Loader
		},
	} {
		t.Run(name, func(t *testing.T) {
			// validated tells of the validations, and ends the training in one of them.
			validated := func(told map[int]float64, epoch, batch int, cancel func()) func(*train.Trainer) {
				return func(tr *train.Trainer) {
					tr.Validation = validation(tr)
					last, calls := 1, 0
					tr.Metrics = append(tr.Metrics, train.Metric{Name: "m", ValidationOnly: true, Of: func(outputs, _ *nd.Array) *nd.Array {
						if calls++; last == epoch && calls == batch {
							cancel()
						}
						return outputs.Mean()
					}})
					with(train.Func(func(_ context.Context, e *train.Event) error {
						if e.Kind == train.EpochEnded {
							told[e.Epoch] = e.Values["validation_m"]
							last, calls = e.Epoch+1, 0
						}
						return nil
					}))(tr)
				}
			}
			wantTold := map[int]float64{}
			want := bits(t, fit(t, newTrainer(validated(wantTold, 0, 0, nil)), epochs))
			require.Len(t, wantTold, epochs)
			for _, stop := range [][2]int{{1, 1}, {1, 4}, {2, 2}, {3, 3}} {
				path := filepath.Join(t.TempDir(), "checkpoint.npz")
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				told := map[int]float64{}
				first := newTrainer(validated(told, stop[0], stop[1], cancel), at(path, 0))
				require.ErrorIs(t, first.Fit(ctx, epochs), context.Canceled)
				require.Len(t, told, stop[0]-1)
				toldAgain := map[int]float64{}
				second := newTrainer(validated(toldAgain, 0, 0, nil), at(path, 0))
				_, err := second.Resume()
				require.NoError(t, err)
				require.Equal(t, want, bits(t, fit(t, second, epochs)), "resumed after %v", stop)
				require.Equal(t, want, bits(t, fit(t, first, epochs)), "called again after %v", stop)
				require.Equal(t, wantTold, told)
				require.Len(t, toldAgain, epochs+1-stop[0])
				for epoch, m := range toldAgain {
					require.Equal(t, wantTold[epoch], m, epoch)
				}
			}
		})
	}
}

// positioned returns a function that gives a checkpoint another position.
func positioned(position *nd.Array) func(path string) error {
	return func(path string) error {
		arrays, err := nd.LoadNPZ(path)
		if err != nil {
			return err
		}
		arrays["position"], arrays["sums"] = position, nd.Zeros[float64](0)
		return nd.SaveNPZ(path, arrays)
	}
}

func TestDamagedCheckpointFallsBackToThePreviousOneAndSaysSo(t *testing.T) {
	want := bits(t, fit(t, newTrainer(), 4))
	for name, damage := range map[string]func(path string) error{
		"cut off":  func(path string) error { return os.Truncate(path, 2000) },
		"empty":    func(path string) error { return os.Truncate(path, 0) },
		"no array": func(path string) error { return os.WriteFile(path, []byte("no archive"), 0o600) },
		"others":   func(path string) error { return nd.SaveNPZ(path, map[string]*nd.Array{"a": nd.Ones[float32](3)}) },
		"sums": func(path string) error {
			arrays, err := nd.LoadNPZ(path)
			if err == nil {
				arrays["sums"] = nd.Ones[float32](9)
				err = nd.SaveNPZ(path, arrays)
			}
			return err
		},
		"no JSON":             positioned(nd.FromSlice([]byte("{"))),
		"null":                positioned(nd.FromSlice([]byte("null"))),
		"no position":         positioned(nd.FromSlice([]byte("{}"))),
		"position of floats":  positioned(nd.Ones[float32](3)),
		"position of letters": positioned(nd.FromSlice([]int32{'{', '}'})),
		"negative epoch":      positioned(nd.FromSlice([]byte(`{"Position":{"Epoch":-2,"Step":12}}`))),
		"negative step":       positioned(nd.FromSlice([]byte(`{"Position":{"Epoch":2,"Step":-12}}`))),
		"negative batch":      positioned(nd.FromSlice([]byte(`{"Position":{"Epoch":2,"Step":12},"Loader":{"Given":-1}}`))),
		"missing":             os.Remove,
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
			path := filepath.Join(t.TempDir(), "checkpoint.npz")
			fit(t, newTrainer(at(path, 0)), 3)
			require.NoError(t, damage(path))
			damaged, missing := os.ReadFile(path)
			tr := newTrainer(at(path, 0))
			from, err := tr.Resume()
			require.NoError(t, err)
			require.Equal(t, path+".previous", from.Path)
			require.Equal(t, 2*steps, from.Step)
			require.Error(t, from.Problem)
			require.Contains(t, from.String(), "; the previous one is used: "+path+".previous, after step 12")
			require.NoFileExists(t, path, "the next checkpoint would push out the good one for it")
			if missing == nil {
				kept, err := os.ReadFile(path + ".damaged")
				require.NoError(t, err)
				require.Equal(t, damaged, kept)
			}
			require.Equal(t, want, bits(t, fit(t, tr, 4)))
			again, err := newTrainer(at(path, 0)).Resume()
			require.NoError(t, err)
			require.Equal(t, train.Resumed{Path: path, Step: 4 * steps}, again)
		})
	}
}

func TestResumeWithoutACheckpointStartsAtTheBeginning(t *testing.T) {
	tr := newTrainer(at(filepath.Join(t.TempDir(), "checkpoint.npz"), 0))
	from, err := tr.Resume()
	require.NoError(t, err)
	require.Equal(t, "there is no checkpoint; training starts at the beginning", from.String())
	require.Equal(t, bits(t, fit(t, newTrainer(), 1)), bits(t, fit(t, tr, 1)))
}

func TestCheckpointOfAnotherTrainingIsRefusedAndChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint.npz")
	fit(t, newTrainer(at(path, 0)), 1)
	for text, change := range map[string]func(*train.Trainer){
		"of another training: small, not large": func(tr *train.Trainer) { tr.Checkpoint.Recipe = "large" },
		"there is no array 2.weight": func(tr *train.Trainer) {
			tr.Model = nn.NewSequential(nn.NewDense(tr.Env, features, 8), nn.Relu, nn.NewDense(tr.Env, 8, classes))
		},
		"the state has no array 0.velocity":             func(tr *train.Trainer) { tr.Optimiser = optim.NewSGD(nn.Params(tr.Model), 0.1, optim.Momentum(0.9)) },
		"batches given of 0":                            func(tr *train.Trainer) { tr.Loader = data.NewLoader(newSet(tr.Env), 100, data.DropLast()) },
		`no state of the callback "best model by loss"`: with(train.NewBest("x", "loss", false)),
	} {
		t.Run(text, func(t *testing.T) {
			saved := path
			if text == "batches given of 0" { // which shows within an epoch alone
				saved = filepath.Join(t.TempDir(), "within.npz")
				tr := newTrainer(at(saved, 0), with(train.Func(func(_ context.Context, e *train.Event) error {
					if e.Kind == train.Stepped {
						return train.ErrStop
					}
					return nil
				})))
				fit(t, tr, 1)
			}
			tr := newTrainer(at(saved, 0), change)
			before := bits(t, tr)
			_, err := tr.Resume()
			require.ErrorContains(t, err, text)
			require.ErrorContains(t, err, saved)
			require.Equal(t, before, bits(t, tr))
			require.Zero(t, tr.Step())
		})
	}
	for _, name := range []string{path, path + ".previous"} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	_, err := newTrainer(at(path, 0)).Resume()
	require.ErrorContains(t, err, "there is no checkpoint to resume from")
	require.ErrorIs(t, err, nd.ErrFormat)
}

// keeper is a Stateful callback that keeps a number, and refuses one.
type keeper struct {
	name          string
	number, wrong int
}

var errRefused = errors.New("refused")

func (k *keeper) Handle(context.Context, *train.Event) error { return nil }

func (k *keeper) Name() string { return k.name }

func (k *keeper) MarshalJSON() ([]byte, error) { return json.Marshal(k.number) }

func (k *keeper) UnmarshalJSON(text []byte) error {
	err := json.Unmarshal(text, &k.number)
	if err == nil && k.number == k.wrong {
		err = errRefused
	}
	return err
}

func TestCallbackThatRefusesItsStateChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint.npz")
	keepers := func(numbers ...int) (all []*keeper, change func(*train.Trainer)) {
		for i, n := range numbers {
			all = append(all, &keeper{name: string(rune('a' + i)), number: n})
		}
		return all, func(tr *train.Trainer) {
			for _, k := range all {
				with(k)(tr)
			}
		}
	}
	_, change := keepers(1, 2, 3)
	fit(t, newTrainer(at(path, 0), change), 1)
	for refusing := range 3 {
		all, change := keepers(7, 8, 9)
		tr := newTrainer(at(path, 0), change)
		all[refusing].wrong = refusing + 1
		before := bits(t, tr)
		_, err := tr.Resume()
		require.ErrorIs(t, err, errRefused)
		require.ErrorContains(t, err, "the state of callback \""+all[refusing].name+"\": refused")
		require.Equal(t, before, bits(t, tr))
		require.Equal(t, []int{7, 8, 9}, []int{all[0].number, all[1].number, all[2].number})
		require.Zero(t, tr.Step())
	}
	all, change := keepers(7, 8, 9)
	_, err := newTrainer(at(path, 0), change).Resume()
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3}, []int{all[0].number, all[1].number, all[2].number})
}

func TestMetricsMayChangeWithinATraining(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint.npz")
	ctx, cancel := context.WithCancel(context.Background())
	first := newTrainer(at(path, 0), with(train.Func(func(context.Context, *train.Event) error { cancel(); return nil })))
	require.ErrorIs(t, first.Fit(ctx, 1), context.Canceled)
	var last train.Event
	second := newTrainer(at(path, 0), with(train.Func(func(_ context.Context, e *train.Event) error {
		if e.Kind == train.EpochEnded {
			last = *e
		}
		return nil
	})), func(tr *train.Trainer) { tr.Metrics = []train.Metric{{Name: "other", Of: nn.Accuracy}} })
	_, err := second.Resume()
	require.NoError(t, err)
	require.Equal(t, bits(t, fit(t, newTrainer(), 1)), bits(t, fit(t, second, 1)))
	require.Equal(t, samples, last.Samples)
	require.Contains(t, last.Values, "other")
	require.NotContains(t, last.Values, "accuracy")
}

func TestFilesThatCannotBeWrittenAreErrorsBeforeTheFirstStep(t *testing.T) {
	folder := t.TempDir()
	missing, file := filepath.Join(folder, "none", "file.npz"), filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	kept, behind := filepath.Join(folder, "kept"), filepath.Join(folder, "behind")
	for _, name := range []string{kept, behind + ".previous"} {
		require.NoError(t, os.MkdirAll(filepath.Join(name, "precious"), 0o700))
	}
	for text, change := range map[string]func(*train.Trainer){
		"checkpoint: open " + missing + ".new":                    at(missing, 0),
		"checkpoint: " + kept + " is no regular file":             at(kept, 0),
		"checkpoint: " + behind + ".previous is no regular file":  at(behind, 0),
		"best model: there is no folder " + filepath.Dir(missing): with(train.NewBest(missing, "loss", false)),
		"best model: there is no folder " + file:                  with(train.NewBest(filepath.Join(file, "best.npz"), "loss", false)),
		"log: open " + missing:                                    with(train.NewLog(missing)),
	} {
		tr := newTrainer(change)
		require.ErrorContains(t, tr.Fit(context.Background(), 1), text)
		require.Zero(t, tr.Step(), text)
	}
	require.DirExists(t, filepath.Join(kept, "precious"))
	path := filepath.Join(folder, "checkpoint.npz")
	require.NoError(t, newTrainer(at(path, 0)).Fit(context.Background(), 0))
	require.NoFileExists(t, path+".new")
}

func TestCheckpointThatFailsLeavesNoPartOfIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint.npz")
	spoilt := errors.New("spoilt")
	tr := newTrainer(at(path, 0), with(train.Func(func(ctx context.Context, e *train.Event) error {
		if e.Kind == train.EpochEnded && e.Epoch == 2 {
			last := nn.Params(e.Trainer.Model)[5]
			require.ErrorIs(t, nd.Write(ctx, last, func([]float32) error { return spoilt }), spoilt)
		}
		return nil
	})))
	err := tr.Fit(context.Background(), 3)
	require.ErrorIs(t, err, spoilt)
	require.ErrorContains(t, err, "checkpoint: ")
	require.NoFileExists(t, path+".new")
	from, err := newTrainer(at(path, 0)).Resume()
	require.NoError(t, err)
	require.Equal(t, train.Resumed{Path: path, Step: steps}, from)
}

func TestCheckpointsGoWhereALinkLeads(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"links", "disk", filepath.Join("disk", "deep")} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, name), 0o700))
	}
	real := filepath.Join(folder, "disk", "checkpoint.npz")
	link, chain, across := filepath.Join(folder, "link.npz"), filepath.Join(folder, "links", "chain.npz"), filepath.Join(folder, "across")
	for name, to := range map[string]string{link: real, chain: filepath.Join("..", "link.npz"), across: filepath.Join(folder, "disk", "deep")} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip("the system has no links: ", err)
		}
	}
	require.NoError(t, os.Symlink(filepath.Join("..", "checkpoint.npz"), filepath.Join(folder, "disk", "deep", "relative.npz")))
	for name, path := range map[string]string{"to a name": link, "to a link": chain, "in a folder that is a link": filepath.Join(across, "relative.npz")} {
		t.Run(name, func(t *testing.T) {
			fit(t, newTrainer(at(path, 0)), 2)
			info, err := os.Lstat(path)
			require.NoError(t, err)
			require.Equal(t, os.ModeSymlink, info.Mode().Type())
			for _, file := range []string{real, real + ".previous"} {
				info, err := os.Lstat(file)
				require.NoError(t, err)
				require.True(t, info.Mode().IsRegular())
			}
			require.NoError(t, os.WriteFile(real, nil, 0o600))
			tr := newTrainer(at(path, 0))
			from, err := tr.Resume()
			require.NoError(t, err)
			require.Equal(t, steps, from.Step)
			require.FileExists(t, real+".damaged")
			fit(t, tr, 2)
			from, err = newTrainer(at(path, 0)).Resume()
			require.NoError(t, err)
			require.Equal(t, train.Resumed{Path: path, Step: 2 * steps}, from)
			for _, file := range []string{real, real + ".previous", real + ".damaged"} {
				require.NoError(t, os.Remove(file))
			}
		})
	}
}
