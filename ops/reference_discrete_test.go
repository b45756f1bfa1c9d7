package ops

import (
	"math"
	"math/big"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// word32 is the 32-bit value of an element.
func word32(ticket resource.Ticket, element int, draw uint16) uint32 {
	return philox.Block(ticket.Key, philox.Counter(ticket.Sequence, uint64(element/4), draw))[element%4]
}

// word64 is the 64-bit value of an element.
func word64(ticket resource.Ticket, element int, draw uint16) uint64 {
	return draw64(ticket.Key, ticket.Sequence, element, draw)
}

// numbered is the array whose elements are value of their number.
func numbered(d dtype.DType, shape []int, value func(element int) float64) []array {
	out := newArray(d, shape)
	for i := range out.values {
		out.values[i] = value(i)
	}
	return []array{out}
}

// referenceRandint is Lemire's method in whole numbers of any size: words of 32 bits, or 64 for types of 64.
func referenceRandint(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(RandintParams)
	return numbered(p.DType, p.Shape, func(element int) float64 {
		width := uint(32)
		if p.DType.Size() == 8 {
			width = 64
		}
		all := new(big.Int).Lsh(big.NewInt(1), width)
		limit := big.NewInt(int64(p.High) - int64(p.Low) + 1)
		for draw := uint16(0); ; draw++ {
			word := new(big.Int).SetUint64(uint64(word32(ticket, element, draw)))
			if width == 64 {
				word.SetUint64(word64(ticket, element, draw))
			}
			quotient, rest := new(big.Int).DivMod(new(big.Int).Mul(word, limit), all, new(big.Int))
			if rest.Cmp(new(big.Int).Mod(all, limit)) >= 0 {
				return float64(int64(p.Low) + quotient.Int64())
			}
		}
	})
}

// below reports whether the binary fraction of the words of an element is below p, exactly.
func below(p float64, ticket resource.Ticket, element int) bool {
	fraction := new(big.Int)
	for draw := range uint16(4) {
		fraction.Add(fraction.Lsh(fraction, 32), new(big.Int).SetUint64(uint64(word32(ticket, element, draw))))
	}
	exact := new(big.Rat).SetFrac(fraction, new(big.Int).Lsh(big.NewInt(1), 128))
	return exact.Cmp(new(big.Rat).SetFloat64(p)) < 0
}

func oneIf(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}

func referenceBernoulli(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(BernoulliParams)
	return numbered(dtype.Bool, p.Shape, func(i int) float64 { return oneIf(below(p.Probability, ticket, i)) })
}

func referenceBernoulliOf(in []array, _ any, ticket resource.Ticket) []array {
	return numbered(dtype.Bool, in[0].shape, func(i int) float64 { return oneIf(below(in[0].values[i], ticket, i)) })
}

func dropped(x array, p float64, ticket resource.Ticket) []array {
	return numbered(x.dtype, x.shape, func(i int) float64 {
		if below(p, ticket, i) {
			return 0
		}
		return rounded(singleOf(x.dtype), x.values[i]*rounded(singleOf(x.dtype), 1/(1-p)))
	})
}

func referenceDropout(in []array, params any, ticket resource.Ticket) []array {
	return dropped(in[0], params.(DropoutParams).Probability, ticket)
}

func referenceDropoutReplay(in []array, params any) []array {
	p := params.(DropoutReplayParams)
	return dropped(in[0], p.Probability, resource.Ticket{Key: p.Key, Sequence: p.Sequence})
}

// cumulated is the first number at which the sum of probabilities is above the 53 bits of a draw.
func cumulated(ticket resource.Ticket, element int, draw uint16, probability func(k float64) float64) float64 {
	sum := 0.0
	for k := 0.0; ; k++ {
		if sum += probability(k); float64(word64(ticket, element, draw)>>11)/(1<<53) < sum {
			return k
		}
	}
}

// pair is the two numbers of one attempt of Hörmann's rejections: u in (-1/2, 1/2) and v in (0, 1).
func pair(ticket resource.Ticket, element int, draw uint16) (u, v float64) {
	unit := func(draw uint16) float64 { return (float64(word64(ticket, element, draw)>>12) + 0.5) / (1 << 52) }
	return unit(draw) - 0.5, unit(draw + 1)
}

func logFactorial(n float64) float64 {
	value, _ := math.Lgamma(n + 1)
	return value
}

// poissonAt is a number of a Poisson distribution as the papers of the kernel say, from a draw on.
func poissonAt(rate float64, ticket resource.Ticket, element int, draw uint16) float64 {
	probability := func(k float64) float64 { return k*math.Log(rate) - rate - logFactorial(k) }
	if rate == 0 {
		return 0
	}
	if rate < 10 {
		return cumulated(ticket, element, draw, func(k float64) float64 { return math.Exp(probability(k)) })
	}
	b := 0.931 + 2.53*math.Sqrt(rate)
	a := -0.059 + 0.02483*b
	for ; ; draw += 2 {
		u, v := pair(ticket, element, draw)
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + rate + 0.43)
		if us >= 0.07 && v <= 0.9277-3.6224/(b-2) {
			return k
		}
		if k >= 0 && (us >= 0.013 || v <= us) && math.Log(v*(1.1239+1.1328/(b-3.4))/(a/(us*us)+b)) <= probability(k) {
			return k
		}
	}
}

func referencePoisson(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(PoissonParams)
	return numbered(dtype.Int64, p.Shape, func(i int) float64 { return poissonAt(p.Rate, ticket, i, 0) })
}

func referencePoissonOf(in []array, _ any, ticket resource.Ticket) []array {
	return numbered(dtype.Int64, in[0].shape, func(i int) float64 { return poissonAt(in[0].values[i], ticket, i, 0) })
}

// binomialAt is a number of a binomial distribution as the papers of the kernel say.
func binomialAt(n, p float64, ticket resource.Ticket, element int) float64 {
	if p > 0.5 {
		return n - binomialAt(n, 1-p, ticket, element)
	}
	probability := func(k float64) float64 {
		if k > n {
			return math.Inf(-1)
		}
		return logFactorial(n) - logFactorial(k) - logFactorial(n-k) + k*math.Log(p) + (n-k)*math.Log1p(-p)
	}
	if p == 0 {
		return 0
	}
	if n*p < 10 {
		return cumulated(ticket, element, 0, func(k float64) float64 { return math.Exp(probability(k)) })
	}
	deviation := math.Sqrt(n * p * (1 - p))
	b := 1.15 + 2.53*deviation
	a := -0.0873 + 0.0248*b + 0.01*p
	for draw := uint16(0); ; draw += 2 {
		u, v := pair(ticket, element, draw)
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + n*p + 0.5)
		if us >= 0.07 && v <= 0.92-4.2/b {
			return k
		}
		if k >= 0 && k <= n && math.Log(v*(2.83+5.1/b)*deviation/(a/(us*us)+b)) <= probability(k)-probability(math.Floor((n+1)*p)) {
			return k
		}
	}
}

func referenceBinomial(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(BinomialParams)
	return numbered(dtype.Int64, p.Shape, func(i int) float64 { return binomialAt(float64(p.Trials), p.Probability, ticket, i) })
}

func referenceBinomialOf(in []array, _ any, ticket resource.Ticket) []array {
	element := -1
	return []array{made(dtype.Int64, joint(in...), func(index []int) float64 {
		element++
		return binomialAt(in[0].broadcastAt(index), in[1].broadcastAt(index), ticket, element)
	})}
}

// logOfUnit is the logarithm of the number in (0, 1) that the 64-bit value of an element stands for.
func logOfUnit(ticket resource.Ticket, element int) float64 {
	word := new(big.Float).SetUint64(word64(ticket, element, 0) >> 1)
	rest, _ := new(big.Float).SetPrec(80).Sub(big.NewFloat(1<<63), word.SetPrec(80).Add(word, big.NewFloat(0.5))).Float64()
	return math.Log1p(-rest / (1 << 63))
}

func referenceGeometric(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(GeometricParams)
	return numbered(dtype.Int64, p.Shape, func(i int) float64 {
		return max(1, math.Ceil(logOfUnit(ticket, i)/math.Log1p(-p.Probability)))
	})
}

// referenceNegativeBinomial is a Poisson number with a gamma number as its rate.
func referenceNegativeBinomial(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(NegativeBinomialParams)
	return numbered(dtype.Int64, p.Shape, func(i int) float64 {
		rate := (1 - p.Probability) / p.Probability * math.Exp(gammaAt(ticket, i, p.Successes, 0))
		return poissonAt(rate, ticket, i, 1<<15)
	})
}

// weightsOf returns the rows of weights.
func weightsOf(a array, logarithmic bool) (rows [][]float64) {
	categories := a.shape[len(a.shape)-1]
	for first := 0; first < len(a.values); first += categories {
		row := slices.Clone(a.values[first : first+categories])
		largest := slices.Max(row)
		for i := range row {
			if logarithmic {
				row[i] = math.Exp(row[i] - largest)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func referenceCategorical(in []array, params any, ticket resource.Ticket) []array {
	p := params.(CategoricalParams)
	rows := weightsOf(in[0], p.Logarithmic)
	return numbered(dtype.Int64, slices.Concat(in[0].shape[:len(in[0].shape)-1], p.Shape), func(i int) float64 {
		row := rows[i/storage.Count(p.Shape)]
		total := 0.0
		for _, w := range row {
			total += w
		}
		return cumulated(ticket, i, 0, func(k float64) float64 { return row[int(k)] / total })
	})
}

func referenceMultinomial(in []array, params any, ticket resource.Ticket) []array {
	p := params.(MultinomialParams)
	rows := weightsOf(in[0], false)
	rank := len(in[0].shape)
	categories := in[0].shape[rank-1]
	left := 0.0
	return numbered(dtype.Int64, append(slices.Concat(in[0].shape[:rank-1], p.Shape), categories), func(i int) float64 {
		row, category := rows[i/categories/storage.Count(p.Shape)], i%categories
		if category == 0 {
			left = float64(p.Trials)
		}
		sum := 0.0
		for j := categories - 1; j >= category; j-- {
			sum += row[j]
		}
		count := binomialAt(left, row[category]/sum, ticket, i)
		left -= count
		return count
	})
}

// referenceChoose shuffles a deck of which only the cards that moved are written down.
func referenceChoose(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(ChooseParams)
	deck := map[int]int{}
	card := func(place int) int {
		if moved, found := deck[place]; found {
			return moved
		}
		return place
	}
	return numbered(dtype.Int64, []int{p.Count}, func(i int) float64 {
		limit := new(big.Int).SetInt64(int64(p.Population - i))
		quotient := new(big.Int).Mul(new(big.Int).SetUint64(word64(ticket, i, 0)), limit)
		j := i + int(quotient.Rsh(quotient, 64).Int64()) // a second draw is next to impossible
		deck[i], deck[j] = card(j), card(i)
		return float64(deck[i])
	})
}

func referenceChooseWeighted(in []array, params any, ticket resource.Ticket) []array {
	p := params.(ChooseWeightedParams)
	rank := len(in[0].shape)
	categories := in[0].shape[rank-1]
	out := newArray(dtype.Int64, append(slices.Clone(in[0].shape[:rank-1]), p.Count))
	for r, row := range weightsOf(in[0], p.Logarithmic) {
		times := make([]float64, categories)
		for i, w := range row {
			times[i] = -logOfUnit(ticket, r*categories+i) / w
		}
		for i := range p.Count {
			first := 0
			for j := range times {
				if times[j] < times[first] {
					first = j
				}
			}
			out.values[r*p.Count+i], times[first] = float64(first), math.Inf(1)
		}
	}
	return []array{out}
}
