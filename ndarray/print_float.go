package ndarray

import (
	"math"
	"strconv"
	"strings"

	"github.com/weft-nd/weft/dtype"
)

// floatKind is what printing has to know of a floating-point type.
type floatKind struct {
	bits   int                     // for strconv; 0 for halves, which it does not know
	round  func(x float64) float64 // to a number of the type
	digits int                     // decimal digits that it holds: numpy.finfo's precision
}

var floatKinds = map[dtype.DType]floatKind{
	dtype.Float16:  {0, func(x float64) float64 { return float64(dtype.ToF16(float32(x)).Float32()) }, 3},
	dtype.BFloat16: {0, func(x float64) float64 { return float64(dtype.ToBF16(float32(x)).Float32()) }, 2},
	dtype.Float32:  {32, func(x float64) float64 { return float64(float32(x)) }, 6},
	dtype.Float64:  {64, func(x float64) float64 { return x }, 15},
}

// shortest returns x, finite, with as few digits as tell it from other numbers of its type, in the form f or e of strconv.
func (k floatKind) shortest(x float64, form byte) string {
	if k.bits > 0 {
		return strconv.FormatFloat(x, form, -1, k.bits)
	}
	for digits := 0; ; digits++ {
		_, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', digits, 64), "e")
		power, _ := strconv.Atoi(exponent)
		unit := math.Copysign(math.Pow10(power-digits), x)
		for _, candidate := range []float64{x, x + unit} { // Powers of two have more room above than below.
			near, _ := strconv.ParseFloat(strconv.FormatFloat(candidate, 'e', digits, 64), 64)
			if k.round(near) == x {
				return strconv.FormatFloat(near, form, -1, 64)
			}
		}
	}
}

// upTo is shortest with no more than so many digits behind the point, and always with a point.
func (k floatKind) upTo(x float64, form byte, precision int) string {
	mantissa, exponent, found := strings.Cut(k.shortest(x, form), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if len(fraction) > precision {
		mantissa, exponent, _ = strings.Cut(strconv.FormatFloat(x, form, precision, 64), "e")
		whole, fraction, _ = strings.Cut(mantissa, ".")
		fraction = strings.TrimRight(fraction, "0")
	}
	if found {
		exponent = "e" + exponent
	}
	return whole + "." + fraction + exponent
}

// floatColumn writes the numbers of one array with their points below each other. It is FloatingFormat of NumPy
// (numpy/_core/arrayprint.py) with floatmode "maxprec".
type floatColumn struct {
	kind        floatKind
	precision   int // digits behind the point: at most, or with an exponent exactly
	plus        bool
	scientific  bool
	exponent    int // digits of the exponent
	left, right int // characters on either side of the point, the exponent on the right
}

// newFloatColumn returns the common form of numbers; those that are positive have a sign where plus is set.
func newFloatColumn(kind floatKind, numbers []float64, plus bool, options PrintOptions) *floatColumn {
	c := &floatColumn{kind: kind, precision: options.Precision, plus: plus}
	smallest, largest, finite, negative := math.Inf(1), 0.0, 0, false
	for _, x := range numbers {
		negative = negative || math.IsInf(x, -1)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		finite++
		if x != 0 {
			smallest, largest = min(smallest, math.Abs(x)), max(largest, math.Abs(x))
		}
	}
	if largest > 0 {
		tooSmall := smallest < kind.round(0.0001) || kind.round(largest/smallest) > 1000
		c.scientific = largest >= math.Pow10(min(8, kind.digits)) || !options.Suppress && tooSmall
	}
	c.measure(numbers)
	if finite < len(numbers) {
		infinity := len("inf")
		if plus || negative {
			infinity++
		}
		c.left = max(c.left, max(len("nan"), infinity)-c.right-1)
	}
	return c
}

// measure sets how many characters the finite ones of numbers need.
func (c *floatColumn) measure(numbers []float64) {
	form, fractions := c.form(), 0
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		mantissa, exponent, _ := strings.Cut(c.signed(x, c.kind.upTo(x, form, c.precision)), "e")
		whole, fraction, _ := strings.Cut(mantissa, ".")
		c.left, fractions, c.exponent = max(c.left, len(whole)), max(fractions, len(fraction)), max(c.exponent, len(exponent)-1)
	}
	c.right = fractions
	if c.scientific {
		c.precision = fractions
		c.right += c.exponent + 2
	}
}

func (c *floatColumn) form() byte {
	if c.scientific {
		return 'e'
	}
	return 'f'
}

func (c *floatColumn) signed(x float64, text string) string {
	if c.plus && !math.Signbit(x) {
		return "+" + text
	}
	return text
}

// text returns x with the spaces on both sides that align it.
func (c *floatColumn) text(x float64) string {
	width := c.left + 1 + c.right
	switch {
	case math.IsNaN(x):
		sign := ""
		if c.plus {
			sign = "+"
		}
		return pad(sign+"nan", width)
	case math.IsInf(x, -1):
		return pad("-inf", width)
	case math.IsInf(x, 1):
		return pad(c.signed(x, "inf"), width)
	case !c.scientific:
		text := c.signed(x, c.kind.upTo(x, 'f', c.precision))
		point := strings.IndexByte(text, '.')
		return pad(text, len(text)+c.left-point) + strings.Repeat(" ", c.right-(len(text)-point-1))
	}
	mantissa, exponent, _ := strings.Cut(c.kind.upTo(x, 'e', c.precision), "e")
	if _, fraction, _ := strings.Cut(mantissa, "."); len(fraction) < c.precision { // More digits are those of x, not zeros.
		mantissa, exponent, _ = strings.Cut(strconv.FormatFloat(x, 'e', c.precision, 64), "e")
	}
	return pad(c.signed(x, mantissa)+"e"+exponent[:1]+strings.Repeat("0", c.exponent-len(exponent)+1)+exponent[1:], width)
}

// pad returns text with as many spaces in front as make it so wide.
func pad(text string, width int) string { return strings.Repeat(" ", max(width-len(text), 0)) + text }

// scalarLimit is from where on single numbers have an exponent.
func (k floatKind) scalarLimit() float64 {
	if k.bits == 64 {
		return 1e16
	}
	return math.Pow10(k.digits)
}

// scalarFloat returns x as NumPy writes a single number: with all its digits, and an exponent where it is large or small.
func (k floatKind) scalarFloat(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'f', -1, 64)), "+")
	case x != 0 && (math.Abs(x) < k.round(1e-4) || math.Abs(x) >= k.scalarLimit()):
		return k.shortest(x, 'e')
	}
	return k.shortest(x, 'f')
}
