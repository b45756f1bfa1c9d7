package factor

import "github.com/weft-nd/weft/parallel"

// lines are vectors one after the other, as what has loops over contiguous numbers: a complex number is its parts, and a
// complex vector has two lines, itself and the imaginary unit times it. So real sums of multiples of lines are complex
// sums of multiples of vectors, and the real products with the two lines are the parts of the product of the conjugate vector.
type lines struct {
	numbers []float64
	length  int // numbers of a line
	parts   int // lines of a vector, and numbers of an element
}

func newLines(count, elements, parts int) lines {
	length := elements * parts
	return lines{make([]float64, count*parts*length), length, parts}
}

// of returns the first line of a vector, from an element on.
func (l lines) of(number, first int) []float64 {
	return l.numbers[number*l.parts*l.length:][:l.length][first*l.parts:]
}

// set writes a vector from an element on.
func (l lines) set(number, first int, x []float64) {
	line := l.of(number, first)
	copy(line, x)
	if l.parts == 2 {
		turned := l.numbers[(number*2+1)*l.length:][:l.length][2*first:]
		for i := 0; i+1 < len(x); i += 2 {
			turned[i], turned[i+1] = -x[i+1], x[i]
		}
	}
}

// from returns a matrix of which the rows are the lines, from an element on.
func (l lines) from(first int) view[float64] {
	return realView(l.numbers[first*l.parts:], l.length, 1)
}

// multiples returns a matrix of which a row has the numbers that lines count times in the sum of v·conjugate(v[i]), for an i from first on.
func (l lines) multiples(first int) view[float64] {
	return realView(l.numbers[first*l.parts:], l.parts, l.length)
}

// leastTerms is how many terms make a product of a matrix and a vector take less time than plain loops.
const leastTerms = 300

// times writes the products of the first count vectors from an element on with x, which begins there.
func (l lines) times(t *parallel.Thread, count, first int, x, products []float64) {
	if count > 0 {
		timesVector(t, l.parts*count, l.from(first), x, products)
	}
}

// timesVector computes y = a·x, where a has so many rows.
func timesVector(t *parallel.Thread, rows int, a view[float64], x, y []float64) {
	if rows*len(x) >= leastTerms {
		multiply(t, rows, 1, len(x), 1, 0, a, realView(x, 1, 1), realView(y, 1, 1))
		return
	}
	for i := range rows {
		y[i] = dot(x, a.elements[i*a.row:])
	}
}

// timesRows writes the sums of the products of the conjugate elements of so many rows of a and those of x.
func timesRows(t *parallel.Thread, parts, rows int, a view[float64], x, sums []float64) {
	if parts == 1 {
		timesVector(t, rows, a, x, sums)
		return
	}
	if rows*len(x) < leastTerms {
		for i := range rows {
			sum := inner(a.elements[i*a.row:][:len(x)], x, parts)
			sums[2*i], sums[2*i+1] = sum[0], sum[1]
		}
		return
	}
	both := make([]float64, 2*len(x)) // x, and −i·x, whose products are imaginary parts
	for i := 0; i+1 < len(x); i += 2 {
		copy(both[2*i:], []float64{x[i], x[i+1], x[i+1], -x[i]})
	}
	multiply(t, rows, 2, len(x), 1, 0, a, realView(both, 2, 1), realView(sums, 2, 1))
}

// sumOfRows writes the sum of so many rows of a, each of which counts as often as the elements of x say.
func sumOfRows(t *parallel.Thread, parts, rows int, a view[float64], x, sum []float64) {
	length := len(sum)
	switch {
	case rows*length < leastTerms:
		clear(sum)
		for i := range rows {
			f := pairOf(x[i*parts:][:parts])
			takeOffElements(sum, a.elements[i*a.row:], [2]float64{-f[0], -f[1]}, parts)
		}
	case parts == 1:
		multiply(t, 1, length, rows, 1, 0, realView(x, rows, 1), a, realView(sum, length, 1))
	default:
		both := make([]float64, 2*length) // the sums by real and by imaginary parts
		multiply(t, 2, length, rows, 1, 0, realView(x, 1, 2), a, realView(both, length, 1))
		imaginary := both[length:]
		for i := 0; i+1 < length; i += 2 {
			sum[i], sum[i+1] = both[i]-imaginary[i+1], both[i+1]+imaginary[i]
		}
	}
}

// takeOff subtracts from x, which begins with an element, multiples of the first count vectors.
func (l lines) takeOff(t *parallel.Thread, count, first int, multiples view[float64], x []float64) {
	switch terms := l.parts * count; {
	case terms*len(x) >= leastTerms:
		takeOff(t, 1, len(x), terms, multiples, l.from(first), realView(x, len(x), 1))
	default:
		for i := range terms {
			takeOffOne(x, l.numbers[i*l.length+first*l.parts:], multiples.elements[i*multiples.column])
		}
	}
}

func realView(numbers []float64, row, column int) view[float64] {
	return view[float64]{numbers, row, column, false, false}
}

// reflect is reflection for elements of so many parts.
func reflect(x []float64, parts int) (pivot float64, factor [2]float64) {
	if parts == 1 {
		pivot, factor[0] = reflection(x)
		return pivot, factor
	}
	apart := newPairs(len(x) / 2)
	apart.read(x, 2)
	pivot, factor = apart.reflection()
	apart.write(x, 2)
	return pivot, factor
}

// inner returns the sum of the products of the conjugate elements of x and those of y.
func inner(x, y []float64, parts int) (sum [2]float64) {
	if parts == 1 {
		return [2]float64{dot(x, y)}
	}
	y = y[:len(x)]
	var re, im float64
	for i := 1; i < len(x); i += 2 {
		re += float64(x[i-1]*y[i-1]) + float64(x[i]*y[i])
		im += float64(x[i-1]*y[i]) - float64(x[i]*y[i-1])
	}
	return [2]float64{re, im}
}

// scaleElements computes x *= f.
func scaleElements(x []float64, f [2]float64, parts int) {
	if parts == 1 {
		for i := range x {
			x[i] *= f[0]
		}
		return
	}
	for i := 0; i+1 < len(x); i += 2 {
		p := product([2]float64{x[i], x[i+1]}, f)
		x[i], x[i+1] = p[0], p[1]
	}
}

// takeOffElements computes x −= f·y.
func takeOffElements(x, y []float64, f [2]float64, parts int) {
	if parts == 1 {
		takeOffOne(x, y, f[0])
		return
	}
	y = y[:len(x)]
	for i := 1; i < len(x); i += 2 {
		re, im := y[i-1], y[i]
		x[i-1] -= float64(re*f[0]) - float64(im*f[1])
		x[i] -= float64(re*f[1]) + float64(im*f[0])
	}
}
