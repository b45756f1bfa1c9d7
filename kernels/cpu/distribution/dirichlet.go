package distribution

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// Dirichlet makes rows of gamma numbers divided by their sum. Each element uses the draws of gammaLaw from 0 on.
type Dirichlet struct {
	all    []gammaLaw // which elements follow in turn
	length int        // of a row
}

// NewDirichlet returns what makes rows of the given length; their elements have the concentrations in turn.
func NewDirichlet[T dtype.Float](concentrations []T, length int) *Dirichlet {
	d := &Dirichlet{make([]gammaLaw, 0, len(concentrations)), length}
	for _, v := range concentrations {
		d.all = append(d.all, newGammaLaw(float64(v)))
	}
	return d
}

// Rows fills x with consecutive rows, the first of which has the given number. It uses powers, which has room for as many numbers.
func (d *Dirichlet) Rows(x, powers []float64, s Source, row int) {
	d.fill(x, powers, s, uint64(row)*uint64(d.length))
	for start := 0; start < len(x); start, row = start+d.length, row+1 {
		d.normalise(x[start:start+d.length], powers[start:], row)
	}
}

// fill is gammaLaw.fill for elements of different laws, the first of which may have an odd number.
func (d *Dirichlet) fill(x, powers []float64, s Source, first uint64) {
	b := lawPool.Get().(*lawBuffers)
	defer lawPool.Put(b)
	done := 0
	batches(first, first+uint64(len(x)), func(at uint64, count, skip int) {
		b.powersOf(b.power[:count], true, s, at, 0)
		b.gaussians(b.x[:count], s, at, gammaTry)
		words := b.draw(0, count, s, at, gammaTry+1)
		for i := skip; i < count; i++ {
			element := at + uint64(i)
			law := &d.all[element%uint64(len(d.all))]
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
func (d *Dirichlet) normalise(x, powers []float64, row int) {
	start := row * d.length % len(d.all)
	laws := d.all[start : start+d.length]
	least := laws[0].concentration
	for _, law := range laws {
		least = min(least, law.concentration)
	}
	if least < 1 {
		exponentiateBoosted(x, powers, laws, least)
	} else {
		divide(x, slices.Max(x)) // the sum may overflow
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
