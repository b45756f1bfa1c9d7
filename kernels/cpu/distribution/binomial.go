package distribution

import (
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// MaxTrials is the largest number of trials of [Binomial]: float64 holds all integers up to it.
const MaxTrials = 1 << 53

// binomial makes numbers of one pair of parameters after the other. Where fewer than fewEvents successes, or failures if those
// are the rarer, are expected, it inverts the distribution function; else it uses the transformed rejection BTRS of Hörmann
// ("The generation of binomial random variates", Journal of Statistical Computation and Simulation 46, 1993) with Loader's
// form of the probabilities.
type binomial struct {
	trials                int64
	probability           float64
	flipped               bool    // failures are counted
	n, p, q, mean         float64 // p at most 1/2
	alpha, a, b, c, safe  float64
	modal, stirlingTrials float64 // logarithm of the largest probability
	search                search
}

// newBinomial returns a binomial that has no parameters yet.
func newBinomial() *binomial { return &binomial{trials: -1} }

// set makes b one of the given parameters.
func (b *binomial) set(trials int64, probability float64) {
	if trials == b.trials && probability == b.probability {
		return
	}
	b.trials, b.probability = trials, probability
	b.n, b.p, b.q = float64(trials), probability, 1-probability
	if b.flipped = probability > 0.5; b.flipped {
		b.p, b.q = b.q, b.p
	}
	if b.mean = float64(b.n * b.p); b.mean < fewEvents {
		b.search.reset(elementary.Exp(float64(b.n*elementary.Log1p(-b.p))), b.n+1, 1, b.p/b.q)
		return
	}
	deviation := math.Sqrt(float64(b.mean * b.q))
	b.b = 1.15 + float64(2.53*deviation)
	b.a = float64(0.0248*b.b) - 0.0873 + float64(0.01*b.p)
	b.c = b.mean + 0.5
	b.alpha = float64((2.83 + 5.1/b.b) * deviation)
	b.safe = 0.92 - 4.2/b.b
	b.stirlingTrials = elementary.StirlingError(b.n)
	b.modal = b.logProbability(math.Floor(float64((b.n + 1) * b.p)))
}

// draw returns the next number from the draws of n.
func (b *binomial) draw(n *numbers) int64 {
	k := b.successes(n)
	if b.flipped {
		return b.trials - k
	}
	return k
}

func (b *binomial) successes(n *numbers) int64 {
	if b.mean < fewEvents {
		for {
			if k, found := b.search.find(n.fraction()); found {
				return k
			}
		}
	}
	for {
		u, v := n.middle()-0.5, n.middle()
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*b.a/us+b.b)*u) + b.c)
		if us >= 0.07 && v <= b.safe {
			return int64(k)
		}
		if k < 0 || k > b.n {
			continue
		}
		if elementary.Log(float64(v*b.alpha)/(b.a/float64(us*us)+b.b)) <= b.logProbability(k)-b.modal {
			return int64(k)
		}
	}
}

// logProbability returns the logarithm of the probability of k.
func (b *binomial) logProbability(k float64) float64 {
	switch rest := b.n - k; {
	case k == 0:
		return float64(b.n * elementary.Log1p(-b.p))
	case rest == 0:
		return float64(b.n * elementary.Log(b.p))
	default:
		return b.stirlingTrials - elementary.StirlingError(k) - elementary.StirlingError(rest) -
			elementary.Deviance(k, b.mean) - elementary.Deviance(rest, float64(b.n*b.q)) +
			float64(0.5*elementary.Log(b.n/k/(float64(2*math.Pi*rest))))
	}
}

// Binomial fills dst, at most BlockSize elements, with the successes among so many trials of one probability.
func Binomial(dst []int64, s Source, first uint64, trials int64, probability float64) {
	b := newBinomial()
	b.set(trials, probability)
	counting(dst, s, first, func(n *numbers, _ int) int64 { return b.draw(n) })
}

// BinomialOf is Binomial with trials and a probability for each element.
func BinomialOf[T dtype.Float](dst []int64, s Source, first uint64, trials []int64, probabilities []T) {
	b := newBinomial()
	counting(dst, s, first, func(n *numbers, i int) int64 {
		b.set(trials[i], float64(probabilities[i]))
		return b.draw(n)
	})
}
