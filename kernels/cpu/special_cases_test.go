package cpu

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// specialConditions are what rows of special cases ask of an operand.
var specialConditions = map[string]func(v float64) bool{
	"any":         func(v float64) bool { return true },
	"NaN":         math.IsNaN,
	"+NaN":        func(v float64) bool { return v != v && !math.Signbit(v) },
	"-NaN":        func(v float64) bool { return v != v && math.Signbit(v) },
	"not NaN":     func(v float64) bool { return v == v },
	"+0":          func(v float64) bool { return v == 0 && !math.Signbit(v) },
	"-0":          func(v float64) bool { return v == 0 && math.Signbit(v) },
	"zero":        func(v float64) bool { return v == 0 },
	"not 0":       func(v float64) bool { return v != 0 },
	"+inf":        func(v float64) bool { return math.IsInf(v, 1) },
	"-inf":        func(v float64) bool { return math.IsInf(v, -1) },
	"infinite":    func(v float64) bool { return math.IsInf(v, 0) },
	"finite":      func(v float64) bool { return v-v == 0 },
	"nonzero":     func(v float64) bool { return v-v == 0 && v != 0 },
	"1":           func(v float64) bool { return v == 1 },
	"-1":          func(v float64) bool { return v == -1 },
	"not 1":       func(v float64) bool { return v != 1 },
	">0":          func(v float64) bool { return v > 0 },
	"<0":          func(v float64) bool { return v < 0 },
	">1":          func(v float64) bool { return v > 1 },
	"<1":          func(v float64) bool { return v < 1 },
	"<-1":         func(v float64) bool { return v < -1 },
	"|1|":         func(v float64) bool { return math.Abs(v) == 1 },
	"|>1|":        func(v float64) bool { return math.Abs(v) > 1 },
	"|<1|":        func(v float64) bool { return math.Abs(v) < 1 },
	"integer":     func(v float64) bool { return v-v == 0 && v == math.Trunc(v) },
	"not integer": func(v float64) bool { return v-v == 0 && v != math.Trunc(v) },
	"odd":         func(v float64) bool { return math.Abs(math.Mod(v, 2)) == 1 },
	"not odd":     func(v float64) bool { return math.Abs(math.Mod(v, 2)) != 1 },
	"between":     func(v float64) bool { return v-v == 0 && math.Abs(v-math.Trunc(v)) == 0.5 },
}

// specialRelations are what rows ask of all operands.
var specialRelations = map[string]func(x []float64) bool{
	"":                    func(x []float64) bool { return true },
	"either is NaN":       func(x []float64) bool { return x[0] != x[0] || x[1] != x[1] },
	"x2 is -x1":           func(x []float64) bool { return x[1] == -x[0] },
	"they are equal":      func(x []float64) bool { return x[0] == x[1] },
	"they differ":         func(x []float64) bool { return x[0] != x[1] },
	"the signs are equal": func(x []float64) bool { return math.Signbit(x[0]) == math.Signbit(x[1]) },
	"the signs differ":    func(x []float64) bool { return math.Signbit(x[0]) != math.Signbit(x[1]) },
}

// sameSpecial reports whether got is want; of zeros, the sign counts.
func sameSpecial(got, want float64) bool {
	return got != got && want != want || got == want && math.Signbit(got) == math.Signbit(want)
}

// isSpecialResult reports whether got, of a type with the given distance from 1 to the next number, is what a row says of x.
func isSpecialResult(result string, x []float64, got, epsilon float64) bool {
	numbers := map[string]float64{
		"NaN": math.NaN(), "+0": 0, "-0": math.Copysign(0, -1), "+inf": math.Inf(1), "-inf": math.Inf(-1), "1": 1, "-1": -1, "true": 1, "false": 0,
		"x1": x[0], "|x1|": math.Abs(x[0]), "-|x1|": -math.Abs(x[0]), "even": math.RoundToEven(x[0]),
	}
	if len(x) > 1 {
		numbers["x2"], numbers["|x2|"], numbers["-x2"] = x[1], math.Abs(x[1]), -x[1]
	}
	angles := map[string]float64{"π": math.Pi, "π/2": math.Pi / 2, "π/4": math.Pi / 4, "3π/4": 3 * math.Pi / 4}
	switch want, found := numbers[result]; {
	case found:
		return sameSpecial(got, want)
	case result == "positive":
		return got == got && !math.Signbit(got)
	case result == "negative":
		return got == got && math.Signbit(got)
	case result == "+NaN" || result == "-NaN":
		return got != got && math.Signbit(got) == (result[0] == '-')
	}
	want, found := angles[result[1:]]
	if !found {
		panic("no result " + result)
	}
	return math.Signbit(got) == (result[0] == '-') && math.Abs(math.Abs(got)-want) <= epsilon*want
}

// specialCase is a row: it matches where one of the alternatives of every operand does.
type specialCase struct {
	function, operator, sentence string
	operands                     []string
	relation, result             string
}

func specialCases(t *testing.T) (all []specialCase) {
	contents, err := os.ReadFile("testdata/array-api-special-cases.txt")
	require.NoError(t, err)
	var function, operator string
	for line := range strings.Lines(string(contents)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			function, operator, _ = strings.Cut(strings.Trim(line, "[]"), " ")
			if operator == "" {
				operator = function
			}
			continue
		}
		conditions, result, found := strings.Cut(line, ": ")
		require.True(t, found, line)
		operands, relation, _ := strings.Cut(conditions, " when ")
		all = append(all, specialCase{function, operator, line, strings.Split(operands, ", "), relation, result})
	}
	return all
}

func (c specialCase) matches(x []float64) bool {
	for i, operand := range c.operands {
		if !slices.ContainsFunc(strings.Split(operand, "|"), func(alternative string) bool {
			if _, found := specialConditions[operand]; found { // "|1|"
				alternative = operand
			}
			return !slices.ContainsFunc(strings.Split(alternative, "&"), func(condition string) bool { return !specialConditions[condition](x[i]) })
		}) {
			return false
		}
	}
	return specialRelations[c.relation](x)
}

// specialElements are the numbers that rows are tried on, as elements of a type.
type specialElements struct {
	dtype  dtype.DType
	values []float64
	put    func(p unsafe.Pointer, v float64)
	get    func(p unsafe.Pointer) float64
}

func specialElementsOf[T any](d dtype.DType, to func(v float64) T, from func(v T) float64) specialElements {
	limits, _ := d.FloatLimits()
	e := specialElements{d, nil, func(p unsafe.Pointer, v float64) { *(*T)(p) = to(v) }, func(p unsafe.Pointer) float64 { return from(*(*T)(p)) }}
	for _, v := range []float64{
		0, limits.SmallestNormal * limits.Epsilon, limits.SmallestNormal, limits.Epsilon, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 5, 8, 31, 64, limits.Max, math.Inf(1),
		math.Float64frombits(0x7ff8 << 48),
	} {
		e.values = append(e.values, v, math.Copysign(v, -1))
	}
	return e
}

var everySpecialElement = []specialElements{
	specialElementsOf(dtype.Float64, func(v float64) float64 { return v }, func(v float64) float64 { return v }),
	specialElementsOf(dtype.Float32, func(v float64) float32 { return float32(v) }, func(v float32) float64 { return float64(v) }),
	specialElementsOf(dtype.Float16, func(v float64) dtype.F16 { return dtype.ToF16(float32(v)) }, func(v dtype.F16) float64 { return float64(v.Float32()) }),
	specialElementsOf(dtype.BFloat16, func(v float64) dtype.BF16 { return dtype.ToBF16(float32(v)) }, func(v dtype.BF16) float64 { return float64(v.Float32()) }),
}

// examples returns all that matches of so many operands.
func (e specialElements) examples(c specialCase) (all [][]float64) {
	x := make([]float64, len(c.operands))
	var choose func(i int)
	choose = func(i int) {
		if i < len(x) {
			for _, x[i] = range e.values {
				choose(i + 1)
			}
			return
		}
		if c.matches(x) {
			all = append(all, slices.Clone(x))
		}
	}
	choose(0)
	return all
}

// TestSpecialCasesOfTheArrayAPIStandard tries every row on all numbers that it speaks of, in each element type, at each level, one
// by one and many at a time.
func TestSpecialCasesOfTheArrayAPIStandard(t *testing.T) {
	functions := map[string]bool{}
	rows := specialCases(t)
	for _, c := range rows {
		functions[c.function] = true
		for _, e := range everySpecialElement {
			examples := e.examples(c)
			require.NotEmpty(t, examples, "%s: %s", c.function, c.sentence)
			loop := inners[c.operator+"/"+e.dtype.String()]
			require.NotNil(t, loop, "%s of %v", c.operator, e.dtype)
			features.Each(func(level features.Level) {
				got := e.run(loop, examples)
				for _, single := range []int{0, len(examples) / 2} {
					got[single] = e.run(loop, examples[single:single+1])[0]
				}
				for i, x := range examples {
					limits, _ := e.dtype.FloatLimits()
					if !slices.ContainsFunc(alternatives(c.result), func(result string) bool { return isSpecialResult(result, x, got[i], limits.Epsilon) }) {
						t.Errorf("%s of %v, %v at level %v is %v; row: %s", c.function, x, e.dtype, level, got[i], c.sentence)
					}
				}
			})
		}
	}
	t.Logf("%d rows of %d functions", len(rows), len(functions))
}

// alternatives separates results; those such as |x1| are no alternatives.
func alternatives(result string) []string {
	if strings.Contains(result, "|x") {
		return []string{result}
	}
	return strings.Split(result, "|")
}

// run returns the results of loop on all examples.
func (e specialElements) run(loop *inner, examples [][]float64) []float64 {
	size := e.dtype.Size()
	var p pointers
	memory := make([][]uint64, len(loop.sizes))
	for i := range memory {
		memory[i] = make([]uint64, len(examples)+8) // room enough for any element, at an address good for any
		p[i] = unsafe.Pointer(unsafe.SliceData(memory[i]))
	}
	for k, x := range examples {
		for i, v := range x {
			e.put(unsafe.Add(p[1+i], k*size), v)
		}
	}
	loop.runner().run(len(examples), p, 0)
	results := make([]float64, len(examples))
	for k := range results {
		if loop.sizes[0] == 1 {
			results[k] = float64(*(*uint8)(unsafe.Add(p[0], k)))
		} else {
			results[k] = e.get(unsafe.Add(p[0], k*size))
		}
	}
	return results
}

// TestEverySpecialConditionIsKnown tells a mistyped row from one that matches nothing.
func TestEverySpecialConditionIsKnown(t *testing.T) {
	for _, c := range specialCases(t) {
		require.Contains(t, specialRelations, c.relation, c.sentence)
		for _, operand := range c.operands {
			if _, found := specialConditions[operand]; found {
				continue
			}
			for _, condition := range strings.FieldsFunc(operand, func(r rune) bool { return r == '&' || r == '|' }) {
				require.Contains(t, specialConditions, condition, fmt.Sprint(c.function, ": ", c.sentence))
			}
		}
	}
}
