package distribution

import (
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// fewEvents is the mean below which poisson and binomial numbers are searched for.
const fewEvents = 10

// MaxRate is the largest rate of [Poisson]: ten standard deviations above it are still int64.
const MaxRate = 9.2e18

// poisson makes numbers of one rate after the other. Below fewEvents it inverts the distribution function; from there on
// it uses the transformed rejection PTRS of Hörmann ("The transformed rejection method for generating Poisson random
// variables", Insurance: Mathematics and Economics 12(1), 1993) with Loader's form of the probabilities, which keeps its
// precision at any rate.
type poisson struct {
	rate, alpha, a, b, safe float64
	search                  search
}

// newPoisson returns a poisson that has no rate yet.
func newPoisson() *poisson { return &poisson{rate: math.NaN()} }

// set makes p one of the given rate.
func (p *poisson) set(rate float64) {
	if rate == p.rate {
		return
	}
	p.rate = rate
	if rate < fewEvents {
		p.search.reset(elementary.Exp(-rate), rate, 0, 1)
		return
	}
	p.b = 0.931 + float64(2.53*math.Sqrt(rate))
	p.a = float64(0.02483*p.b) - 0.059
	p.alpha = 1.1239 + 1.1328/(p.b-3.4)
	p.safe = 0.9277 - 3.6224/(p.b-2)
}

// draw returns the next number from the draws of n.
func (p *poisson) draw(n *numbers) int64 {
	if p.rate < fewEvents {
		for {
			if k, found := p.search.find(n.fraction()); found {
				return k
			}
		}
	}
	for {
		u, v := n.middle()-0.5, n.middle()
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*p.a/us+p.b)*u) + p.rate + 0.43)
		if us >= 0.07 && v <= p.safe {
			return int64(k)
		}
		if k < 0 || k >= 1<<63 || us < 0.013 && v > us {
			continue
		}
		if elementary.Log(float64(v*p.alpha)/(p.a/float64(us*us)+p.b)) <= p.logProbability(k) {
			return int64(k)
		}
	}
}

// logProbability returns the logarithm of the probability of k.
func (p *poisson) logProbability(k float64) float64 {
	if k == 0 {
		return -p.rate
	}
	return -elementary.StirlingError(k) - elementary.Deviance(k, p.rate) - float64(0.5*elementary.Log(float64(2*math.Pi*k)))
}

// Poisson fills dst, at most BlockSize elements, with numbers of one rate.
func Poisson(dst []int64, s Source, first uint64, rate float64) {
	p := newPoisson()
	p.set(rate)
	counting(dst, s, first, func(n *numbers, _ int) int64 { return p.draw(n) })
}

// PoissonOf is Poisson with a rate for each element.
func PoissonOf[T dtype.Float](dst []int64, s Source, first uint64, rates []T) {
	p := newPoisson()
	counting(dst, s, first, func(n *numbers, i int) int64 {
		p.set(float64(rates[i]))
		return p.draw(n)
	})
}
