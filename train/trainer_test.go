package train_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

// handMade trains by a loop, and returns the bits.
func handMade(t *testing.T, tr *train.Trainer, epochs int) map[string][]byte {
	for range epochs {
		for b, err := range tr.Loader.Batches(context.Background()) {
			require.NoError(t, err)
			tape := autograd.NewTape()
			loss := tr.Loss(tr.Model.Forward(nn.Train(tape, tr.Env.Generator()), b.Inputs), b.Labels)
			require.NoError(t, tr.Optimiser.Step(context.Background(), tape.Gradient(loss, tr.Optimiser.Params()...)))
		}
	}
	return bits(t, tr)
}

func TestFitHasTheBitsOfALoopByHand(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		ctx, got := context.Background(), newTrainer(way)
		require.Equal(t, handMade(t, newTrainer(), 3), bits(t, fit(t, got, 3)))
		require.Equal(t, 3*steps, got.Step())
		values, err := got.Evaluate(ctx, got.Validation)
		require.NoError(t, err)
		better, err := fit(t, got, 30).Evaluate(ctx, got.Validation)
		require.NoError(t, err)
		require.Less(t, better["loss"], values["loss"])
	})
}

// TestAnotherOptimiserTakesOverBetweenFits trains all parameters, then the first alone, then all again.
func TestAnotherOptimiserTakesOverBetweenFits(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		got, want := newTrainer(way), newTrainer()
		for epoch, count := range []int{6, 1, 6} {
			for _, tr := range []*train.Trainer{got, want} {
				tr.Optimiser = optim.NewSGD(nn.Params(tr.Model)[:count], 0.1)
			}
			require.Equal(t, handMade(t, want, 1), bits(t, fit(t, got, epoch+1)))
		}
	})
}

func TestEventsTellOfEveryStepAndEpoch(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		var told []string
		var losses []float64
		watch := train.Func(func(_ context.Context, e *train.Event) error {
			told = append(told, fmt.Sprint(e.Kind, e.Epoch, e.Step, len(e.Values)))
			switch e.Kind {
			case train.Stepped:
				require.Equal(t, e.Samples, e.Outputs.Shape()[0])
				require.Equal(t, e.Samples, e.Batch.Count)
				losses = append(losses, e.Loss*float64(e.Samples))
			case train.EpochEnded:
				require.Equal(t, samples, e.Samples)
				sum := 0.0
				for _, loss := range losses {
					sum += loss
				}
				require.InDelta(t, sum/samples, e.Loss, 1e-12)
				losses = nil
				accuracy, found := e.Value("validation_accuracy")
				require.True(t, found)
				require.Positive(t, accuracy)
			}
			return nil
		})
		fit(t, newTrainer(way, with(watch)), 2)
		want := []string{"0 1 0 0"}
		for epoch := 1; epoch <= 2; epoch++ {
			for step := range steps {
				want = append(want, fmt.Sprint(1, epoch, (epoch-1)*steps+step+1, 1))
			}
			want = append(want, fmt.Sprint(2, epoch, epoch*steps, 3))
		}
		require.Equal(t, append(want, fmt.Sprint(3, 3, 2*steps, 0)), told)
	})
}

func TestMetricsOfTheValidationAloneAreLeftOutOfTheSteps(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		seen := map[train.Kind][]string{}
		watch := train.Func(func(_ context.Context, e *train.Event) error {
			seen[e.Kind] = slices.Sorted(maps.Keys(e.Values))
			return nil
		})
		fit(t, newTrainer(way, with(watch), func(tr *train.Trainer) {
			tr.Metrics = append(tr.Metrics, train.Metric{Name: "again", Of: nn.Accuracy, ValidationOnly: true})
		}), 1)
		require.Equal(t, []string{"accuracy"}, seen[train.Stepped])
		require.Equal(t, []string{"accuracy", "validation_accuracy", "validation_again", "validation_loss"}, seen[train.EpochEnded])
	})
}

func TestMetricsHaveNamesThatAreNobodyElses(t *testing.T) {
	for _, names := range [][]string{{""}, {"loss"}, {"a", "a"}, {"validation_loss"}, {"a", "validation_a"}, {"validation_a", "a"}} {
		tr := newTrainer(func(tr *train.Trainer) { tr.Metrics = nil })
		for _, name := range names {
			tr.Metrics = append(tr.Metrics, train.Metric{Name: name, Of: nn.Accuracy})
		}
		err := nd.Try(func() { _ = tr.Fit(context.Background(), 1) })
		require.ErrorIs(t, err, fault.ErrMisuse, names)
		require.ErrorContains(t, err, "no name of its own")
	}
}

func TestMetricsThatAreNotFiniteChangeNoStep(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		for name, gradients := range map[string]func([]*nd.Array){"seen by none": nil, "changed": func([]*nd.Array) {}} {
			for _, v := range []float64{math.NaN(), math.Inf(1)} {
				var told []float64
				tr := newTrainer(way, func(tr *train.Trainer) {
					tr.Gradients = gradients
					tr.Metrics = []train.Metric{{Name: "m", Of: func(outputs, _ *nd.Array) *nd.Array { return outputs.Sum().MulScalar(v) }}}
				}, with(train.Func(func(_ context.Context, e *train.Event) error {
					if e.Kind == train.Stepped {
						told = append(told, e.Values["m"])
					}
					return nil
				})))
				require.Equal(t, bits(t, fit(t, newTrainer(), 1)), bits(t, fit(t, tr, 1)), name)
				require.Len(t, told, steps)
				for _, m := range told {
					require.True(t, math.IsNaN(m) || math.IsInf(m, 0))
				}
			}
		}
	})
}

func TestPaddingDoesNotCountInValidation(t *testing.T) {
	tr := newTrainer()
	want, err := tr.Evaluate(context.Background(), data.NewLoader(newSet(tr.Env), samples))
	require.NoError(t, err)
	got, err := tr.Evaluate(context.Background(), tr.Validation) // the last of 10 samples has 6 that fill it
	require.NoError(t, err)
	require.InDelta(t, want["accuracy"], got["accuracy"], 1e-12)
	require.InDelta(t, want["loss"], got["loss"], 1e-6)
}

func TestCancelledFitGoesOnToTheSameBits(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		want := bits(t, fit(t, newTrainer(), 3))
		reason := errors.New("enough")
		stride := 1
		if testing.Short() {
			stride = 3
		}
		for after := 0; after < 3*(steps+1); after += stride {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			events := 0
			tr := newTrainer(way, with(train.Func(func(_ context.Context, e *train.Event) error {
				if e.Kind == train.Stepped || e.Kind == train.EpochEnded {
					if events++; events == after+1 {
						cancel(reason)
					}
				}
				return nil
			})))
			err := tr.Fit(ctx, 3)
			if after < 3*(steps+1)-1 {
				require.ErrorIs(t, err, reason)
			} else {
				require.NoError(t, err, "there was nothing left to do")
			}
			require.Equal(t, want, bits(t, fit(t, tr, 3)), "after event %d", after)
		}
	})
}

func TestCallbackThatReturnsTheErrorOfItsContextCostsNoCheckpoint(t *testing.T) {
	enough, lost := errors.New("enough"), errors.New("lost")
	for name, of := range map[string]func(ctx context.Context) error{
		"error":         func(ctx context.Context) error { return ctx.Err() },
		"wrapped error": func(ctx context.Context) error { return fmt.Errorf("send: %w", ctx.Err()) },
		"cause":         context.Cause,
	} {
		t.Run(name, func(t *testing.T) {
			for moment, where := range map[string]train.Event{
				"beginning":       {Kind: train.Began},
				"step":            {Kind: train.Stepped, Step: 2},
				"end of an epoch": {Kind: train.EpochEnded, Step: steps},
			} {
				path := filepath.Join(t.TempDir(), "checkpoint.npz")
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				behind := 0
				sending := func(ctx context.Context, e *train.Event) error {
					if e.Kind == where.Kind && e.Step == where.Step {
						cancel(enough)
					}
					if ctx.Err() != nil {
						return of(ctx)
					}
					return nil
				}
				tr := newTrainer(at(path, 0), with(train.Func(sending)), with(train.Func(func(context.Context, *train.Event) error {
					behind++
					return nil
				})))
				require.ErrorIs(t, tr.Fit(ctx, 2), enough, moment)
				require.Equal(t, where.Step, tr.Step())
				require.Greater(t, behind, where.Step, "callbacks behind are told too")
				again := newTrainer(at(path, 0))
				from, err := again.Resume()
				require.NoError(t, err)
				require.Equal(t, train.Resumed{Path: path, Step: where.Step}, from, moment)
				require.Equal(t, bits(t, fit(t, newTrainer(), 2)), bits(t, fit(t, again, 2)))
			}
		})
	}
	for name, of := range map[string]func(ctx context.Context) error{
		"error of another": func(context.Context) error { return lost },
		"ended before it":  func(context.Context) error { return context.DeadlineExceeded },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		err := newTrainer(with(train.Func(func(ctx context.Context, e *train.Event) error {
			if e.Kind == train.Stepped {
				cancel()
				return of(ctx)
			}
			return nil
		}))).Fit(ctx, 1)
		require.ErrorContains(t, err, "after step 1, in epoch 1: "+of(ctx).Error(), name)
	}
}

func TestCancelledValidationIsMadeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint.npz")
	want := bits(t, fit(t, newTrainer(), 2))
	ctx, cancel := context.WithCancel(context.Background())
	stopping := func(tr *train.Trainer) {
		tr.Validation = data.NewLoader(data.Map(newSet(tr.Env), func(b data.Batch) (data.Batch, error) {
			cancel()
			return b, nil
		}), 10)
	}
	tr := newTrainer(stopping, at(path, 0))
	require.ErrorIs(t, tr.Fit(ctx, 2), context.Canceled)
	require.Equal(t, steps, tr.Step())
	resumed := newTrainer(at(path, 0))
	_, err := resumed.Resume()
	require.NoError(t, err)
	require.Equal(t, want, bits(t, fit(t, resumed, 2)))
	require.Equal(t, want, bits(t, fit(t, tr, 2)))
}

func TestBadBatchesAreErrorsThatNameTheStep(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		lost := errors.New("lost")
		for name, c := range map[string]struct {
			change func(*train.Trainer)
			texts  []string
			reason error
		}{
			"no labels": {from(1, func(b *data.Batch) { b.Labels = nil }), []string{"step 1", "no labels"}, nil},
			"too few samples": {func(tr *train.Trainer) {
				tr.Loader = data.NewLoader(newSet(tr.Env), 100, data.DropLast())
			}, []string{"there is no batch", "44 samples, for batches of 100"}, nil},
			"data set": {func(tr *train.Trainer) {
				tr.Loader = data.NewLoader(data.Map(newSet(tr.Env), func(b data.Batch) (data.Batch, error) { return b, lost }), size)
			}, []string{"after step 0, in epoch 1: batch 1 of 6"}, lost},
			"callback": {with(train.Func(func(_ context.Context, e *train.Event) error {
				if e.Step == 9 {
					return lost
				}
				return nil
			})), []string{"after step 9, in epoch 2"}, lost},
			"loss that is no number": {func(tr *train.Trainer) { tr.Loss = func(outputs, _ *nd.Array) *nd.Array { return outputs } }, []string{"step 1", "one element"}, fault.ErrShape},
		} {
			t.Run(name, func(t *testing.T) {
				tr := newTrainer(way, c.change)
				err := tr.Fit(context.Background(), 3)
				for _, text := range c.texts {
					require.ErrorContains(t, err, text)
				}
				if c.reason != nil {
					require.ErrorIs(t, err, c.reason)
				}
			})
		}
	})
}

func TestTrainersThatLackSomethingAreMistakes(t *testing.T) {
	for text, change := range map[string]func(*train.Trainer){
		"Model is nil":  func(tr *train.Trainer) { tr.Model = nil },
		"Loss is nil":   func(tr *train.Trainer) { tr.Loss = nil },
		"callback 0":    with(nil),
		"callback 0 is": with(train.Func(nil)),
		"two callbacks": func(tr *train.Trainer) {
			with(train.NewEarlyStopping("loss", false, 1))(tr)
			with(train.NewEarlyStopping("loss", false, 2))(tr)
		},
		`metric "loss"`:   func(tr *train.Trainer) { tr.Metrics = []train.Metric{{Name: "loss", Of: nn.Accuracy}} },
		"negative number": at("x", -1),
		"or no path":      at("", 1),
	} {
		err := nd.Try(func() { _ = newTrainer(change).Fit(context.Background(), 1) })
		require.ErrorIs(t, err, fault.ErrMisuse, text)
		require.ErrorContains(t, err, text)
		require.ErrorContains(t, err, "trainer_test.go")
	}
}
