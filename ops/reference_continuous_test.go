package ops

import (
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/resource"
)

// unitAt returns the number between 0 and 1 that a 64-bit value stands for, and its logarithm.
func unitAt(value uint64) (u, logarithm float64) {
	u = (float64(value>>1) + 0.5) / (1 << 63)
	if value < 1<<63 {
		return u, math.Log(u)
	}
	return u, math.Log1p(-(float64(^value>>1) + 0.5) / (1 << 63))
}

// logUnitAt is the logarithm of the number of an element at draw 0.
func logUnitAt(ticket resource.Ticket, element int) float64 {
	_, logarithm := unitAt(word64(ticket, element, 0))
	return logarithm
}

// gaussianAt is Box and Muller's method: of the elements of one block the first takes the cosine, the second the sine.
func gaussianAt(ticket resource.Ticket, element int, draw uint16) (z, radius float64) {
	first, second := word64(ticket, element&^1, draw), word64(ticket, element|1, draw)
	return turned(first, second, element%2)
}

func turned(first, second uint64, which int) (z, radius float64) {
	_, logarithm := unitAt(first)
	sine, cosine := math.Sincos(2 * math.Pi * float64(second) / (1 << 64))
	radius = math.Sqrt(-2 * logarithm)
	return radius * []float64{cosine, sine}[which], radius
}

// scaled returns an array of numbers with the scales of their errors.
func scaled(d dtype.DType, shape []int, at func(element int) (value, scale float64)) []array {
	out := newArray(d, shape)
	for i := range out.values {
		value, scale := at(i)
		out.values[i], out.scale = value, append(out.scale, math.Abs(scale))
	}
	return []array{out}
}

func referenceExponential(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(ExponentialParams)
	return numbered64(p.DType, p.Shape, func(i int) float64 { return -p.Scale * logUnitAt(ticket, i) })
}

func numbered64(d dtype.DType, shape []int, at func(element int) float64) []array {
	return scaled(d, shape, func(i int) (float64, float64) { return at(i), at(i) })
}

// placedAt is the reference of a distribution with a location and a scale, of the standard one.
func placedAt(standard func(value uint64) (x, scale float64)) func([]array, any, resource.Ticket) []array {
	return func(_ []array, params any, ticket resource.Ticket) []array {
		p := params.(LocationScaleParams)
		return scaled(p.DType, p.Shape, func(i int) (float64, float64) {
			x, scale := standard(word64(ticket, i, 0))
			return p.Location + p.Scale*x, math.Abs(p.Location) + p.Scale*math.Abs(scale)
		})
	}
}

func standardGumbel(value uint64) (x, scale float64) {
	_, logarithm := unitAt(value)
	x = -math.Log(-logarithm)
	return x, math.Abs(x) + 1
}

func standardLaplace(value uint64) (x, scale float64) {
	_, x = unitAt(value << 1)
	if value >= 1<<63 {
		_, x = unitAt(^value << 1)
		x = -x
	}
	return x, x
}

func standardLogistic(value uint64) (x, scale float64) {
	_, lower := unitAt(value)
	_, upper := unitAt(^value)
	return lower - upper, math.Abs(lower) + math.Abs(upper)
}

// standardCauchy has the error of a tangent near its poles.
func standardCauchy(value uint64) (x, scale float64) {
	x = math.Tan(2 * math.Pi * (float64(value) / (1 << 64)))
	return x, 8 * (1 + x*x)
}

func referenceWeibull(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(ConcentrationScaleParams)
	return scaled(p.DType, p.Shape, func(i int) (float64, float64) {
		x := math.Log(-logUnitAt(ticket, i)) / p.Concentration
		return p.Scale * math.Exp(x), p.Scale * math.Exp(x) * (1 + math.Abs(x))
	})
}

func referenceLogNormal(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(LogNormalParams)
	return scaled(p.DType, p.Shape, func(i int) (float64, float64) {
		z, radius := gaussianAt(ticket, i, 0)
		x := math.Exp(p.Mean + p.Deviation*z)
		return x, x * (1 + math.Abs(p.Mean) + p.Deviation*radius)
	})
}

// gammaAt is the method of Marsaglia and Tsang for scale 1; it returns the logarithm. Below concentration 1 it multiplies a
// number of the concentration plus one with the power of a uniform one at the first draw.
func gammaAt(ticket resource.Ticket, element int, concentration float64, draw uint16) float64 {
	if concentration < 1 {
		_, logarithm := unitAt(word64(ticket, element, draw))
		return tryGamma(ticket, element, concentration+1, draw+1) + logarithm/concentration
	}
	return tryGamma(ticket, element, concentration, draw+1)
}

func tryGamma(ticket resource.Ticket, element int, concentration float64, draw uint16) float64 {
	d := concentration - 1.0/3
	for ; ; draw += 2 {
		z, _ := gaussianAt(ticket, element, draw)
		v := math.Pow(1+z/math.Sqrt(9*d), 3)
		_, logarithm := unitAt(word64(ticket, element, draw+1))
		if v > 0 && logarithm < z*z/2+d-d*v+d*math.Log(v) {
			return math.Log(d * v)
		}
	}
}

// exponentials is the reference of a distribution whose logarithms are given.
func exponentials(d dtype.DType, shape []int, logarithm func(element int) float64) []array {
	return scaled(d, shape, func(i int) (float64, float64) {
		x := logarithm(i)
		return math.Exp(x), math.Exp(x) * (4 + math.Abs(x))
	})
}

func referenceGamma(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(ConcentrationScaleParams)
	return exponentials(p.DType, p.Shape, func(i int) float64 { return math.Log(p.Scale) + gammaAt(ticket, i, p.Concentration, 0) })
}

func referenceChiSquare(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(FreedomParams)
	return exponentials(p.DType, p.Shape, func(i int) float64 { return math.Ln2 + gammaAt(ticket, i, p.Freedom/2, 0) })
}

func referenceStudentT(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(FreedomParams)
	return scaled(p.DType, p.Shape, func(i int) (float64, float64) {
		z, radius := gaussianAt(ticket, i, 0)
		x := (math.Log(p.Freedom/2) - gammaAt(ticket, i, p.Freedom/2, 1)) / 2
		return z * math.Exp(x), radius * math.Exp(x) * (4 + math.Abs(x))
	})
}

func referenceBeta(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(BetaParams)
	return scaled(p.DType, p.Shape, func(i int) (float64, float64) {
		x := gammaAt(ticket, i, p.Beta, 1<<15) - gammaAt(ticket, i, p.Alpha, 0)
		return 1 / (1 + math.Exp(x)), (4 + math.Abs(x)) / (1 + math.Exp(x))
	})
}

// referenceTruncatedNormal draws by rejection: normal numbers where they often lie between the bounds, else even or
// exponential ones from the bound nearer to the mean.
func referenceTruncatedNormal(_ []array, params any, ticket resource.Ticket) []array {
	p := params.(TruncatedNormalParams)
	a, b := (p.Low-p.Mean)/p.Deviation, (p.High-p.Mean)/p.Deviation
	side := 1.0
	if b < -a {
		side, a, b = -1, -b, -a
	}
	rate := (a + math.Sqrt(a*a+4)) / 2
	return scaled(p.DType, p.Shape, func(i int) (float64, float64) {
		for draw := uint16(0); ; draw += 2 {
			first, second := word64(ticket, i, draw), word64(ticket, i, draw+1)
			u, logarithm := unitAt(first)
			_, toAccept := unitAt(second)
			x, limit := 0.0, 0.0
			switch {
			case a <= 0 && b-a > 2.5:
				x, _ = turned(first, second, 0)
				x *= side
				toAccept = 0
			case a <= 0:
				x = a + (b-a)*u
				limit = -x * x / 2
			case b-a > math.Exp((1-a/rate)/2)/rate:
				x = a - logarithm/rate
				limit = -(x - rate) * (x - rate) / 2
			default:
				x = a + (b-a)*u
				limit = (a*a - x*x) / 2
			}
			if x >= a && x <= b && toAccept <= limit {
				return p.Mean + side*x*p.Deviation, math.Abs(p.Mean) + (math.Abs(x)+10)*p.Deviation
			}
		}
	})
}

func referenceDirichlet(in []array, params any, ticket resource.Ticket) []array {
	shape := append(append([]int{}, params.(DirichletParams).Shape...), in[0].shape...)
	length := in[0].shape[len(in[0].shape)-1]
	logarithm := func(i int) float64 { return gammaAt(ticket, i, in[0].values[i%len(in[0].values)], 0) }
	return exponentials(in[0].dtype, shape, func(i int) float64 {
		sum := 0.0
		for j := i - i%length; j < i-i%length+length; j++ {
			sum += math.Exp(logarithm(j))
		}
		return logarithm(i) - math.Log(sum)
	})
}

func referenceMultivariateNormal(in []array, params any, ticket resource.Ticket) []array {
	mean, factor := in[0], in[1]
	n, m := factor.shape[0], factor.shape[1]
	shape := append(append([]int{}, params.(MultivariateNormalParams).Shape...), n)
	return scaled(mean.dtype, shape, func(i int) (value, scale float64) {
		row, j := i/n, i%n
		value, scale = mean.values[j], math.Abs(mean.values[j])
		for k := range m {
			z, radius := gaussianAt(ticket, row*m+k, 0)
			value += factor.at(j, k) * z
			scale += math.Abs(factor.at(j, k)) * radius
		}
		return value, scale
	})
}

func referenceNormalReplay(in []array, params any) []array {
	p := params.(NormalReplayParams)
	shape := append(append([]int{}, in[0].shape[:len(in[0].shape)-1]...), p.Columns)
	return scaled(in[0].dtype, shape, func(i int) (value, scale float64) {
		return gaussianAt(resource.Ticket{Key: p.Key, Sequence: p.Sequence}, i, 0)
	})
}

// referenceCovarianceFactor is Cholesky's method, one column after another, for the row with the largest part of its
// variance left.
func referenceCovarianceFactor(in []array, _ any) []array {
	c, n := in[0], in[0].shape[0]
	factor, done := newArray(c.dtype, c.shape), map[int]bool{}
	left := func(i, j int) float64 {
		rest := c.at(i, j)
		for k := range n {
			rest -= factor.at(i, k) * factor.at(j, k)
		}
		return rest
	}
	for k := range n {
		pivot := -1
		for i := range n {
			if !done[i] && (pivot < 0 || left(i, i)/c.at(i, i) > left(pivot, pivot)/c.at(pivot, pivot)+1e-12) {
				pivot = i
			}
		}
		column := make([]float64, n)
		for i := range n {
			if !done[i] {
				column[i] = left(i, pivot) / math.Sqrt(left(pivot, pivot))
			}
		}
		done[pivot] = true
		for i, v := range column {
			factor.values[factor.number([]int{i, k})] = v
		}
	}
	for i := range factor.values {
		factor.scale = append(factor.scale, math.Sqrt(c.at(i/n, i/n)))
	}
	return []array{factor}
}

// makeCovariance turns an array into a symmetric one with a large diagonal.
func makeCovariance(in []array) {
	n := in[0].shape[0]
	for i := range n {
		for j := range n {
			v := in[0].at(max(i, j), min(i, j))
			if i == j {
				v += 4 * float64(n)
			}
			in[0].values[i*n+j] = rounded(in[0].dtype, v)
		}
	}
}

// badOf returns calls with each of params.
func badOf[P any](params ...P) (bad []Sample) {
	for _, p := range params {
		bad = append(bad, Sample{Params: p})
	}
	return bad
}
