package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

// liveSets are the bytes that a program of BenchmarkLifetime holds all the time.
var liveSets = []int{16 << 20, 1 << 30}

// BenchmarkLifetime runs a training loop that drops every array of a step, as BenchmarkLifetime/<live set>/beside-releasing: it reports the
// resident memory over the live set, and the time that dropping takes over that of releasing each array, in percent of a step.
// An iteration is 100 steps of each kind. BenchmarkLifetime/<live set>/dropping does nothing but drop, a step an iteration.
//
// BenchmarkLifetime/<live set>/<model>-beside-scoped trains a network of BenchmarkMNIST, as a user writes it, and compares with a memory
// scope that each step closes. The library itself gives back there what never leaves it.
func BenchmarkLifetime(b *testing.B) {
	for _, bytes := range liveSets {
		b.Run(fmt.Sprintf("%dMiB/beside-releasing", bytes>>20), func(b *testing.B) { lifetime(b, bytes, newLiveProgram(bytes)) })
		b.Run(fmt.Sprintf("%dMiB/dropping", bytes>>20), func(b *testing.B) { dropping(b, bytes) })
		for _, m := range digitModels {
			b.Run(fmt.Sprintf("%dMiB/%s-beside-scoped", bytes>>20, m.name), func(b *testing.B) { lifetime(b, bytes, newTraining(bytes, m)) })
		}
	}
}

// dropper is a program that drops the arrays of its steps, or releases them.
type dropper interface {
	steps(count int, release bool) time.Duration
}

func lifetime(b *testing.B, live int, p dropper) {
	for range 2 {
		p.steps(100, false)
		p.steps(100, true)
	}
	before := residentBytes(b)
	var overheads []float64
	peak := int64(0)
	b.ResetTimer()
	for range b.N {
		dropping, releasing := time.Duration(0), time.Duration(0)
		for range 5 {
			releasing += p.steps(20, true)
			dropping += p.steps(20, false)
			peak = max(peak, residentBytes(b))
		}
		overheads = append(overheads, 100*(dropping.Seconds()/releasing.Seconds()-1))
	}
	slices.Sort(overheads)
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/200, "µs/step")
	b.ReportMetric(overheads[len(overheads)/2], "%-of-step")
	b.ReportMetric(float64(before)/(1<<20), "MiB-at-start")
	b.ReportMetric(float64(peak)/(1<<20), "MiB-resident")
	b.ReportMetric((float64(peak)-64<<20)/float64(live), "x-of-live")
	runtime.KeepAlive(p)
}

func dropping(b *testing.B, live int) {
	p := newLiveProgram(live)
	peak := int64(0)
	for left := b.N; left > 0; left -= 20 {
		p.steps(min(20, left), false)
		peak = max(peak, residentBytes(b))
	}
	b.ReportMetric(float64(peak)/(1<<20), "MiB-resident")
	b.ReportMetric((float64(peak)-64<<20)/float64(live), "x-of-live")
	runtime.KeepAlive(p)
}

// liveProgram is a network of two layers with its data, written out so that each array of a step can be released by hand.
type liveProgram struct {
	images        *nd.Array // more than fit the network, to make up the live set
	first, second *nd.Array
	next          int
}

func newLiveProgram(bytes int) *liveProgram {
	env := nd.DefaultEnv().WithSeed(1)
	weights := func(in, out int) *nd.Array { return random.Normal(env, dtype.Float32, 0, 0.05, in, out) }
	return &liveProgram{
		images: random.Uniform(env, dtype.Float32, 0, 1, bytes/784/4, 784), first: weights(784, 256), second: weights(256, 128),
	}
}

// steps runs count steps, each with a batch of 64, and waits for each.
func (p *liveProgram) steps(count int, release bool) time.Duration {
	const batch = 64
	start := time.Now()
	for range count {
		at := p.next % (p.images.Shape()[0] - batch)
		p.next += batch
		x := p.images.Index(nd.Span(at, at+batch)).MulScalar(0.5)
		hidden := x.MatMul(p.first)
		active := hidden.Relu()
		output := active.MatMul(p.second)
		slope := output.MulScalar(1e-6)
		gradient2 := active.T().MatMul(slope)
		back := slope.MatMul(p.second.T())
		gradient1 := x.T().MatMul(back)
		nd.SubInto(p.second, p.second, gradient2)
		nd.SubInto(p.first, p.first, gradient1)
		if err := p.first.Wait(context.Background()); err != nil {
			panic(err)
		}
		if release {
			for _, a := range []*nd.Array{x, hidden, active, output, slope, gradient2, back, gradient1} {
				a.Release()
			}
		}
	}
	return time.Since(start)
}

// training is a network that learns from images that make up the live set.
type training struct {
	env            *nd.Env
	model          *nn.Sequential
	optimiser      *optim.Optimiser
	images, labels *nd.Array
	next           int
}

func newTraining(bytes int, m digitModel) *training {
	env, count := nd.DefaultEnv().WithSeed(1), bytes/784/4
	model := m.make(env)
	return &training{
		env: env, model: model, optimiser: optim.NewSGD(model.Params(), 0.01, optim.Momentum(0.9)),
		images: random.Uniform(env, dtype.Float32, 0, 1, append([]int{count}, m.shape...)...),
		labels: random.Uniform(env, dtype.Float32, 0, 10, count).Cast(dtype.Int64),
	}
}

// steps makes count steps, each with a batch of 64.
func (t *training) steps(count int, release bool) time.Duration {
	start := time.Now()
	for range count {
		if !release {
			t.step(t.env)
			continue
		}
		inner, scope := nd.WithMemoryScope(t.env)
		t.step(inner)
		scope.Close()
	}
	return time.Since(start)
}

func (t *training) step(env *nd.Env) {
	at := t.next % (t.images.Shape()[0] - digitBatch)
	t.next += digitBatch
	batch := nd.Span(at, at+digitBatch)
	tape := autograd.NewTape()
	outputs := t.model.Forward(nn.Train(tape, env.Generator()), t.images.In(env).Index(batch).MulScalar(0.5))
	loss := nn.SoftmaxCrossEntropy(outputs, t.labels.In(env).Index(batch))
	if err := t.optimiser.Step(context.Background(), tape.Gradient(loss, t.model.Params()...)); err != nil {
		panic(err)
	}
}

// residentBytes returns how much of the process is in memory; it skips where the system does not tell.
func residentBytes(b *testing.B) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
