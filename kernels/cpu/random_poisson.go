package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
	"github.com/weft-nd/weft/parallel"
)

// fewEvents is the mean below which poisson and binomial numbers are searched for.
const fewEvents = 10

// MaxRate is the largest rate of poisson: ten standard deviations above it are still int64.
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

// poissonNumbers has the rate Scalars[0].
func poissonNumbers(t *parallel.Thread, a *device.Arguments) error {
	drawing(t, a, 30, func(s source, first uint64, count int, operands pointers) {
		p := newPoisson()
		p.set(a.Scalars[0])
		counting(slice[int64](operands[0], count), s, first, func(n *numbers, _ int) int64 { return p.draw(n) })
	})
	return nil
}

var _ = register("poisson", entry{dtype.Int64.String(), poissonNumbers})

// poissonOf has the rates in Inputs[0].
func poissonOf[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	isRate := func(rate T) bool { return rate >= 0 && float64(rate) <= MaxRate }
	if err := checkElements(t, a.Inputs[0], "rate", "from 0 to 9.2e18", isRate); err != nil {
		return err
	}
	drawing(t, a, 60, func(s source, first uint64, count int, operands pointers) {
		p, rates := newPoisson(), slice[T](operands[1], count)
		counting(slice[int64](operands[0], count), s, first, func(n *numbers, i int) int64 {
			p.set(float64(rates[i]))
			return p.draw(n)
		})
	})
	return nil
}

var _ = register("poisson_of",
	entry{dtype.Float32.String(), poissonOf[float32]}, entry{dtype.Float64.String(), poissonOf[float64]})
