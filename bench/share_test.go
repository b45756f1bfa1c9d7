package bench

import (
	"slices"
	"testing"
	"time"

	"github.com/weft-nd/weft/profile"
)

// BenchmarkMNISTShare measures the part of a training step in which no kernel runs, on the cases of BenchmarkMNIST, as
// BenchmarkMNISTShare/<model>, and <model>_called. An observer of the engine has the times at which the kernel of each operator began and ended; what is
// not in the union of these is outside. Blocks of steps with the observer take turns with blocks without, since observing takes time
// of its own: outside-% is what of an unobserved step is left beside the kernels of an observed one, observed-outside-% has the cost of
// observing too.
func BenchmarkMNISTShare(b *testing.B) {
	const block = 50
	eachDigitTraining(b, func(b *testing.B, m *digitModel, way trainingWay) {
		env := newEnv(b, "perdevice")
		step := m.training(env, way)
		steps := func() time.Duration {
			began := profile.Now()
			for range block {
				if err := step(); err != nil {
					b.Fatal(err)
				}
			}
			return profile.Now() - began
		}
		steps() // so that memory is there
		var alone, observed, inside time.Duration
		kernels := &spans{}
		for b.Loop() {
			alone += steps()
			kernels.all = kernels.all[:0]
			stop := env.Engine().Observe(kernels)
			began := profile.Now()
			observed += steps()
			stop()
			inside += kernels.union(began, profile.Now())
		}
		count := float64(b.N * block)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(100*(1-float64(inside)/float64(alone)), "outside-%")
		b.ReportMetric(100*(1-float64(inside)/float64(observed)), "observed-outside-%")
		b.ReportMetric(float64(inside)/count/1e3, "kernels-µs/step")
		b.ReportMetric(float64(alone)/count/1e3, "µs/step")
		b.ReportMetric(digitBatch*count/alone.Seconds(), "images/s")
	})
}

// span is a time in which a kernel ran.
type span struct{ start, end time.Duration }

// spans is an observer that keeps the times of kernels.
type spans struct{ all []span }

// Observe implements profile.Observer.
func (s *spans) Observe(r *profile.Record) {
	if r.Name != "wait" && !r.Skipped {
		s.all = append(s.all, span{r.Start, r.End})
	}
}

// union returns for how long at least one kernel ran between two times.
func (s *spans) union(from, to time.Duration) (sum time.Duration) {
	slices.SortFunc(s.all, func(a, b span) int { return int(a.start - b.start) })
	for _, one := range s.all {
		if start, end := max(one.start, from), min(one.end, to); end > start {
			sum += end - start
			from = end
		}
	}
	return sum
}

func TestUnionOfSpansCountsNoTimeTwice(t *testing.T) {
	s := spans{all: []span{{5, 9}, {0, 3}, {2, 4}, {6, 7}, {8, 20}, {30, 40}, {15, 18}}}
	if got := s.union(1, 35); got != 3+15+5 {
		t.Fatal(got)
	}
}
