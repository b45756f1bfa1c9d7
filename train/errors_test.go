package train_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

// from returns a change of a training that changes the batches from a step on.
func from(step int, change func(b *data.Batch)) func(*train.Trainer) {
	return func(tr *train.Trainer) {
		seen := 0
		tr.Loader = data.NewLoader(data.Map(newSet(tr.Env), func(b data.Batch) (data.Batch, error) {
			if seen++; seen >= step {
				change(&b)
			}
			return b, nil
		}), size)
	}
}

var sites = regexp.MustCompile(`[\w/.]*\.go:\d+`)

// plain returns a message without the lines that it names.
func plain(message string) string { return sites.ReplaceAllString(message, "LINE") }

// TestBadInputOfATrainingGivesTheseMessages has the whole message of each kind of bad input. Nothing is lost: the arrays are those after
// the last good step.
func TestBadInputOfATrainingGivesTheseMessages(t *testing.T) {
	const operands = "[float32 (8,3), int64 (8,)] on cpu(0) at LINE"
	batch := "a batch of inputs float32 (8,6) and labels int64 (8,): weft: "
	// lossOf adds what spoil makes of an array of the shape of outputs: of ones in two steps, and then of the given number.
	lossOf := func(number float32, spoil func(x *nd.Array) *nd.Array) func(*train.Trainer) {
		return func(tr *train.Trainer) {
			offset := nd.OnesIn(tr.Env, dtype.Float32, 1)
			tr.Loss = func(outputs, labels *nd.Array) *nd.Array {
				return nn.SoftmaxCrossEntropy(outputs, labels).Add(spoil(outputs.MulScalar(0).Add(offset)))
			}
			with(train.Func(func(_ context.Context, e *train.Event) error {
				if e.Step == 2 {
					nd.Set(offset, number, 0)
				}
				return nil
			}))(tr)
		}
	}
	// measured adds the metric m of outputs.
	measured := func(of func(x *nd.Array) *nd.Array) func(*train.Trainer) {
		return func(tr *train.Trainer) {
			tr.Metrics = append(tr.Metrics, train.Metric{Name: "m", Of: func(outputs, _ *nd.Array) *nd.Array { return of(outputs) }})
		}
	}
	const advice = "; the step was not made; a lower learning rate may help"
	for name, c := range map[string]struct {
		change func(*train.Trainer)
		steps  int // that are made before
		want   string
		reason error
	}{
		"batch of the wrong shape": {from(3, func(b *data.Batch) { b.Inputs = nd.Ones[float32](size, features+1) }), 2,
			"step 3, in epoch 1, a batch of inputs float32 (8,7) and labels int64 (8,): weft: linear: x (8,7) and weight (6,8) do not fit: " +
				"want (...,inputs) and (inputs,outputs) [float32 (8,7), float32 (6,8), float32 (8,)] on cpu(0) at LINE", fault.ErrShape},
		"batch without features": {from(3, func(b *data.Batch) { b.Inputs = nd.Ones[float32](size) }), 2,
			"step 3, in epoch 1, a batch of inputs float32 (8,) and labels int64 (8,): weft: linear: x (8,) and weight (6,8) do not fit: " +
				"want (...,inputs) and (inputs,outputs) [float32 (8,), float32 (6,8), float32 (8,)] on cpu(0) at LINE", fault.ErrShape},
		"label out of range": {from(2, func(b *data.Batch) { b.Labels = nd.Full[int64](classes, size) }), 1,
			"step 2, in epoch 1, " + batch + "mean was not run at LINE: its input failed: softmax_cross_entropy: label 3 is out of range for 3 classes " + operands,
			fault.ErrIndex},
		"label below zero": {from(2, func(b *data.Batch) { b.Labels = nd.Full[int64](-classes-1, size) }), 1,
			"step 2, in epoch 1, " + batch + "mean was not run at LINE: its input failed: softmax_cross_entropy: label -4 is out of range for 3 classes " + operands,
			fault.ErrIndex},
		"label out of range in a later step": {from(5, func(b *data.Batch) { b.Labels = nd.Full[int64](classes, size) }), 4,
			"step 5, in epoch 1, " + batch + "mean was not run at LINE: its input failed: softmax_cross_entropy: label 3 is out of range for 3 classes " + operands,
			fault.ErrIndex},
		"too few labels": {from(2, func(b *data.Batch) { b.Labels = nd.Zeros[int64](size - 1) }), 1,
			"step 2, in epoch 1, a batch of inputs float32 (8,6) and labels int64 (7,): weft: softmax_cross_entropy: logits (8,3) and labels (7,) do not fit: " +
				"want (rows,classes) and (rows,) [float32 (8,3), int64 (7,)] on cpu(0) at LINE", fault.ErrShape},
		"labels that are no integers": {from(2, func(b *data.Batch) { b.Labels = nd.Zeros[float32](size) }), 1,
			"step 2, in epoch 1, a batch of inputs float32 (8,6) and labels float32 (8,): weft: SoftmaxCrossEntropy: labels are integers, one for each " +
				"row of logits, or probabilities of their shape and dtype [float32 (8,3), float32 (8,)] at LINE", fault.ErrDType},
		"loss minus infinity": {lossOf(0, func(x *nd.Array) *nd.Array { return x.Log().Sum() }), 2,
			"the loss is -Inf at step 3, in epoch 1: the first result that is not finite is that of log of float32 (8,3) at LINE, whose operands are" + advice, nil},
		"loss that is no number": {lossOf(-1, func(x *nd.Array) *nd.Array { return x.Sqrt().Mean() }), 2,
			"the loss is NaN at step 3, in epoch 1: the first result that is not finite is that of sqrt of float32 (8,3) at LINE, whose operands are" + advice, nil},
		"gradient of a root at zero": {lossOf(0, func(x *nd.Array) *nd.Array { return x.Sqrt().Sum() }), 2,
			"the loss is 1.4131407737731934 at step 3, in epoch 1, and the gradient of 0.weight is not finite: in the backward pass, the first result " +
				"that is not finite is that of div of float32 (8,3) float32 (8,3) at LINE, whose operands are" + advice, nil},
		"batch that is not finite": {from(4, func(b *data.Batch) { b.Inputs = b.Inputs.MulScalar(math.NaN()) }), 3,
			"the loss is NaN at step 4, in epoch 1: the batch has elements that are not finite" + advice, nil},
		"metric that fails": {func(tr *train.Trainer) {
			place := nd.ZerosIn(tr.Env, dtype.Int64, 1)
			measured(func(x *nd.Array) *nd.Array { return x.Reshape(-1).Take(place, 0) })(tr)
			with(train.Func(func(_ context.Context, e *train.Event) error {
				if e.Step == 2 {
					nd.Set(place, int64(99), 0)
				}
				return nil
			}))(tr)
		}, 2, "step 3, in epoch 1, a batch of inputs float32 (8,6) and labels int64 (8,): m: weft: take: index 99 is out of range for axis 0 with 24 elements " +
			"[float32 (24,), int64 (1,)] on cpu(0) at LINE", fault.ErrIndex},
		"metric that is no number": {measured(func(x *nd.Array) *nd.Array { return x.Sum(0) }), 0,
			"step 1, in epoch 1, " + batch + "train.Trainer: m has the shape (3,), want one element", fault.ErrShape},
		"metric that is complex": {measured(func(x *nd.Array) *nd.Array { return x.Sum().Cast(dtype.Complex64) }), 0,
			"step 1, in epoch 1, " + batch + "train.Trainer: m is complex64, want a real number", fault.ErrDType},
		"no metric": {measured(func(*nd.Array) *nd.Array { return nil }), 0, "step 1, in epoch 1, " + batch + "train.Trainer: m is nil", fault.ErrMisuse},
		"empty data set": {func(tr *train.Trainer) { tr.Loader = data.NewLoader(data.Subset(newSet(tr.Env)), size) }, 0,
			"after step 0, in epoch 1: there is no batch: an iteration of the data set has 0 samples, for batches of 8", nil},
		"empty validation set": {func(tr *train.Trainer) { tr.Validation = data.NewLoader(data.Subset(newSet(tr.Env)), size) }, steps,
			"after step 6, in epoch 1: validation: there is no batch: an iteration of the data set has 0 samples, for batches of 8", nil},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, way func(*train.Trainer)) {
				var last map[string][]byte
				keep := train.Func(func(_ context.Context, e *train.Event) error {
					if e.Kind == train.Began || e.Kind == train.Stepped {
						last = bits(t, e.Trainer)
					}
					return nil
				})
				tr := newTrainer(way, c.change, with(keep))
				err := tr.Fit(context.Background(), 1)
				require.Error(t, err)
				require.Equal(t, c.want, plain(err.Error()))
				if c.reason != nil {
					require.ErrorIs(t, err, c.reason)
				}
				require.Equal(t, c.steps, tr.Step())
				left := bits(t, tr)
				delete(left, "generator") // that draws for a step that fails too
				delete(last, "generator")
				require.Equal(t, last, left)
			})
		})
	}
}

// TestCheckpointsThatDoNotServeGiveTheseMessages has the whole of what Resume tells; FOLDER is where the checkpoint lies.
func TestCheckpointsThatDoNotServeGiveTheseMessages(t *testing.T) {
	const fallback = "; the previous one is used: FOLDER/checkpoint.npz.previous, after step 6"
	const malformed = "weft: LoadNPZIn: FOLDER/checkpoint.npz: malformed file: zip: not a valid zip file: its end is missing: unexpected EOF at LINE"
	other := "FOLDER/checkpoint.npz: weft: SetState: the arrays are of another model: "
	rearranged := func(change func(arrays map[string]*nd.Array)) func(path string) error {
		return func(path string) error {
			arrays, err := nd.LoadNPZ(path)
			if err != nil {
				return err
			}
			arrays = maps.Clone(arrays)
			change(arrays)
			return nd.SaveNPZ(path, arrays)
		}
	}
	for name, c := range map[string]struct {
		damage func(path string) error
		change func(*train.Trainer)
		want   string
		fails  bool // and the training stays as it is
	}{
		"cut off":   {func(path string) error { return os.Truncate(path, 2000) }, nil, malformed + fallback, false},
		"empty":     {func(path string) error { return os.Truncate(path, 0) }, nil, malformed + fallback, false},
		"not there": {os.Remove, nil, "weft: LoadNPZIn: open FOLDER/checkpoint.npz: no such file or directory at LINE" + fallback, false},
		"another file": {func(path string) error { return nd.SaveNPZ(path, map[string]*nd.Array{"a": nd.Ones[float32](3)}) }, nil,
			"FOLDER/checkpoint.npz is no checkpoint: malformed file" + fallback, false},
		"parameter missing": {rearranged(func(a map[string]*nd.Array) { delete(a, "model/0.weight") }), nil,
			other + "there is no array 0.weight at LINE", true},
		"parameters missing and too many": {rearranged(func(a map[string]*nd.Array) {
			a["model/9.weight"], a["model/8.weight"] = a["model/0.weight"], a["model/1.means"]
			delete(a, "model/0.weight")
			delete(a, "model/1.means")
		}), nil, other + "there is no array 0.weight\nthere is no array 1.means\nthe model has no array 8.weight\nthe model has no array 9.weight at LINE", true},
		"parameter of another shape": {rearranged(func(a map[string]*nd.Array) { a["model/4.weight"] = nd.Ones[float32](8, 4) }), nil,
			other + "4.weight is float32 (8,4), want float32 (8,3) at LINE", true},
		"state of another optimiser": {nil, func(tr *train.Trainer) {
			tr.Optimiser = optim.NewSGD(nn.Params(tr.Model)[:1], 0.1, optim.Momentum(0.9))
		},
			"FOLDER/checkpoint.npz: weft: SetState: the state has no array 0.velocity" + strings.Join(surplus(6, "first_moment", "second_moment"), "") + " at LINE", true},
		"another recipe": {nil, func(tr *train.Trainer) { tr.Checkpoint.Recipe = "large" },
			"FOLDER/checkpoint.npz: the checkpoint is of another training: small, not large", true},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "checkpoint.npz")
			fit(t, newTrainer(at(path, 0)), 2)
			if c.damage != nil {
				require.NoError(t, c.damage(path))
			}
			tr := newTrainer(at(path, 0))
			if c.change != nil {
				c.change(tr)
			}
			before := bits(t, tr)
			found, err := tr.Resume()
			told := found.String()
			if c.fails {
				require.Error(t, err)
				told = err.Error()
				require.Equal(t, before, bits(t, tr))
				require.Zero(t, tr.Step())
			} else {
				require.NoError(t, err)
				require.Equal(t, steps, tr.Step())
			}
			require.Equal(t, c.want, plain(strings.ReplaceAll(told, folder, "FOLDER")))
		})
	}
}

// TestFitGoesOnWithTheBatchThatFailed has failures that do not come again, in the second epoch.
func TestFitGoesOnWithTheBatchThatFailed(t *testing.T) {
	type change = func(isTime func() bool) func(*train.Trainer)
	lossOf := func(spoil func(loss *nd.Array) *nd.Array) change {
		return func(isTime func() bool) func(*train.Trainer) {
			return func(tr *train.Trainer) {
				tr.Loss = func(outputs, labels *nd.Array) *nd.Array {
					loss := nn.SoftmaxCrossEntropy(outputs, labels)
					if isTime() {
						loss = spoil(loss)
					}
					return loss
				}
			}
		}
	}
	dataOf := func(spoil func(b data.Batch) (data.Batch, error)) change {
		return func(isTime func() bool) func(*train.Trainer) {
			return func(tr *train.Trainer) {
				tr.Loader = data.NewLoader(data.Map(newSet(nd.DefaultEnv()), func(b data.Batch) (data.Batch, error) {
					if isTime() {
						return spoil(b)
					}
					return b, nil
				}), size, data.Shuffle(tr.Env))
			}
		}
	}
	for name, c := range map[string]change{
		"mistake in a call": lossOf(func(loss *nd.Array) *nd.Array { return loss.Sum(3) }),
		"error at run time": lossOf(func(loss *nd.Array) *nd.Array { return loss.Reshape(1).Take(nd.Full[int64](5), 0) }),
		"loss not finite":   lossOf(func(loss *nd.Array) *nd.Array { return loss.MulScalar(math.Inf(1)) }),
		"data set":          dataOf(func(b data.Batch) (data.Batch, error) { return b, errors.New("no such file") }),
		"spoilt batch": dataOf(func(b data.Batch) (data.Batch, error) {
			b.Inputs = b.Inputs.MulScalar(math.NaN())
			return b, nil
		}),
		"callback": func(isTime func() bool) func(*train.Trainer) {
			return with(train.Func(func(_ context.Context, e *train.Event) error {
				if e.Kind == train.Stepped && isTime() {
					return errors.New("no space")
				}
				return nil
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			told := func(lines *[]string) func(*train.Trainer) {
				return with(train.Func(func(_ context.Context, e *train.Event) error {
					if e.Kind == train.EpochEnded {
						*lines = append(*lines, fmt.Sprint(e.Epoch, e.Step, e.Samples, e.Loss, e.Values))
					}
					return nil
				}))
			}
			unmeasured := func(tr *train.Trainer) { tr.Validation = nil }
			var want, got []string
			undisturbed := bits(t, fit(t, newTrainer(unmeasured, c(func() bool { return false }), told(&want)), 3))
			var calls atomic.Int32
			tr := newTrainer(unmeasured, c(func() bool { return calls.Add(1) == steps+3 }), told(&got))
			require.Error(t, tr.Fit(context.Background(), 3))
			require.Equal(t, undisturbed, bits(t, fit(t, tr, 3)))
			require.Equal(t, want, got)
		})
	}
}

// surplus returns the lines that name the states of so many parameters.
func surplus(parameters int, states ...string) (lines []string) {
	for i := range parameters {
		for _, state := range states {
			lines = append(lines, "\nthe state has an array "+string(rune('0'+i))+"."+state+", of another rule or further parameters")
		}
	}
	return lines
}

// opaque is a layer that names the parameters of another alone.
type opaque struct{ layer nn.Layer }

func (o opaque) Forward(c *nn.Ctx, x *nd.Array) *nd.Array { return o.layer.Forward(c, x) }

func (o opaque) Named() iter.Seq2[string, *nd.Array] { return o.layer.Named() }

// renamed is a layer that names arrays of its own of the memory that another changes.
type renamed struct{ nn.Layer }

func (r renamed) NamedState() iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) {
		for name, a := range r.Layer.(nn.Stateful).NamedState() {
			if !yield("renamed."+name, a.Reshape(a.Shape()...)) {
				return
			}
		}
	}
}

func TestAModelThatDoesNotNameItsAveragesIsAnError(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		for name, saving := range map[string]func(*train.Trainer){
			"checkpoint": at(filepath.Join(t.TempDir(), "checkpoint.npz"), 0),
			"best":       with(train.NewBest(filepath.Join(t.TempDir(), "best.npz"), "loss", false)),
		} {
			tr := newTrainer(way, saving)
			stateful := tr.Model
			before := bits(t, tr)
			for _, model := range []nn.Layer{opaque{stateful}, nn.NewSequential(opaque{stateful}, nn.NewBatchNorm(tr.Env, classes))} {
				tr.Model = model
				err := tr.Fit(context.Background(), 1)
				require.ErrorIs(t, err, fault.ErrMisuse, name)
				require.ErrorContains(t, err, "step 1, in epoch 1")
				require.ErrorContains(t, err, "a layer changes an array of shape (8,), such as a running average, that the model does not name")
				require.Zero(t, tr.Step())
			}
			tr.Model = stateful
			after := bits(t, tr)
			after["generator"] = before["generator"] // It has drawn.
			require.Equal(t, before, after, "averages that are not named stay as they were too")
			tr.Model = renamed{stateful}
			fit(t, tr, 1)
		}
		tr := newTrainer(way)
		tr.Model = opaque{tr.Model}
		fit(t, tr, 1) // Nothing saves it.
	})
}
