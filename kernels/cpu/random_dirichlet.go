package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
	"github.com/weft-nd/weft/parallel"
)

// dirichlet fills Outputs[0], of shape (..., shape of the input), with gamma numbers of the concentrations Inputs[0], divided
// by their sum along the last axis. Each element uses the draws of gammaLaw from 0 on.
func dirichlet[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	concentrations := a.Inputs[0]
	err := checkElements(t, concentrations, "concentration", "a finite number above 0", func(v T) bool {
		return v > 0 && float64(v) <= math.MaxFloat64
	})
	if err != nil || a.Outputs[0].Count() == 0 {
		return err
	}
	laws := gammaLaws{all: make([]gammaLaw, 0, concentrations.Count()), length: concentrations.Shape[len(concentrations.Shape)-1]}
	for _, v := range contiguous[T](concentrations) {
		laws.all = append(laws.all, newGammaLaw(float64(v)))
	}
	drawRows[T](t, a, 60, func(s source, span int) rowMaker {
		powers := make([]float64, span*laws.length)
		return func(x []float64, row int) {
			laws.fill(x, powers, s, uint64(row)*uint64(laws.length))
			for start := 0; start < len(x); start, row = start+laws.length, row+1 {
				laws.normalise(x[start:start+laws.length], powers[start:], row)
			}
		}
	})
	return nil
}

var _ = register("dirichlet", entry{dtype.Float32.String(), dirichlet[float32]}, entry{dtype.Float64.String(), dirichlet[float64]})

// gammaLaws are laws that elements follow in turn, in rows of the same length.
type gammaLaws struct {
	all    []gammaLaw
	length int
}

// fill is gammaLaw.fill for elements of different laws, the first of which may have an odd number.
func (g gammaLaws) fill(x, powers []float64, s source, first uint64) {
	b := lawPool.Get().(*lawBuffers)
	defer lawPool.Put(b)
	done := 0
	batches(first, first+uint64(len(x)), func(at uint64, count, skip int) {
		b.powersOf(b.power[:count], true, s, at, 0)
		b.gaussians(b.x[:count], s, at, gammaTry)
		words := b.draw(0, count, s, at, gammaTry+1)
		for i := skip; i < count; i++ {
			element := at + uint64(i)
			law := &g.all[element%uint64(len(g.all))]
			value, accepted := law.accept(b.x[i], words[i])
			if !accepted {
				value = law.retry(s, element, gammaTry+gammaDraws)
			}
			x[done], powers[done] = value, 0
			if law.boosted() {
				powers[done] = b.power[i]
			}
			done++
		}
	})
}

// normalise divides the gamma numbers of a row by their sum.
func (g gammaLaws) normalise(x, powers []float64, row int) {
	start := row * g.length % len(g.all)
	laws := g.all[start : start+g.length]
	least := laws[0].concentration
	for _, law := range laws {
		least = min(least, law.concentration)
	}
	if least < 1 {
		exponentiateBoosted(x, powers, laws, least)
	} else {
		divide(x, maxLeaf(x, 0)) // the sum may overflow
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	divide(x, sum)
}

func divide(x []float64, by float64) {
	for i := range x {
		x[i] /= by
	}
}

// exponentiateBoosted turns x and powers into gamma numbers divided by the largest. Powers over concentrations may overflow
// together; their differences over the least concentration are numbers.
func exponentiateBoosted(x, powers []float64, laws []gammaLaw, least float64) {
	largest, largestAt := math.Inf(-1), 0
	for i, v := range x {
		powers[i] = float64(powers[i] * (least / laws[i].concentration))
		x[i] = elementary.Log(v)
		if size := powers[i] + float64(least*x[i]); size > largest {
			largest, largestAt = size, i
		}
	}
	power, logarithm := powers[largestAt], x[largestAt]
	for i, v := range x {
		x[i] = elementary.Exp((powers[i]-power)/least + (v - logarithm))
	}
}
