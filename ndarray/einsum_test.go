package ndarray_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// contractionCase is an equation with the name of every axis; those of an ellipsis are numbers.
type contractionCase struct {
	equation string
	operands [][]string
	result   []string
	shapes   [][]int
	elements [][]int
}

// contraction decides about an equation and operands that fit it.
func (d *decisions) contraction() (c contractionCase) {
	letters := []string{"a", "b", "i", "Q", "z"}[:1+d.of(5)]
	sizes := map[string]int{}
	for _, letter := range append([]string{"0", "1"}, letters...) {
		if sizes[letter] = d.of(4); sizes[letter] == 0 && !d.oneIn(3) {
			sizes[letter] = 2
		}
	}
	counts, ellipsis, terms := map[string]int{}, 0, []string{}
	for range 1 + d.of(4) {
		labels, term := []string{}, ""
		dots := -1
		if d.oneIn(4) {
			dots = d.of(3)
		}
		for position := range d.of(4) {
			if position == dots {
				many := d.of(3)
				ellipsis = max(ellipsis, many)
				labels, term = append(labels, []string{"0", "1"}[2-many:]...), term+"..."
			}
			letter := letters[d.of(len(letters))]
			labels, term = append(labels, letter), term+letter
			counts[letter]++
		}
		shape, own := []int{}, map[string]int{}
		for _, label := range labels {
			if _, known := own[label]; !known {
				if own[label] = sizes[label]; d.oneIn(8) {
					own[label] = 1
				}
			}
			shape = append(shape, own[label])
		}
		elements := []int{}
		each(shape, func([]int) { elements = append(elements, d.of(5)-2) })
		c.operands, c.shapes, c.elements = append(c.operands, labels), append(c.shapes, shape), append(c.elements, elements)
		terms = append(terms, term)
	}
	c.equation = strings.Join(terms, ",")
	c.decideResult(d, counts, ellipsis)
	return c
}

func (c *contractionCase) decideResult(d *decisions, counts map[string]int, ellipsis int) {
	dots := []string{"0", "1"}[2-ellipsis:]
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range counts {
			if !yield(name) {
				return
			}
		}
	})
	if d.oneIn(3) {
		c.result = slices.Clone(dots)
		for _, name := range names {
			if counts[name] == 1 {
				c.result = append(c.result, name)
			}
		}
		return
	}
	c.equation += "->"
	kept := slices.DeleteFunc(names, func(string) bool { return d.oneIn(2) })
	place := d.of(len(kept) + 1)
	for i, number := range d.permutation(len(kept)) {
		if i == place && ellipsis > 0 {
			c.equation, c.result = c.equation+"...", append(c.result, dots...)
		}
		c.equation, c.result = c.equation+kept[number], append(c.result, kept[number])
	}
	if place == len(kept) && ellipsis > 0 {
		c.equation, c.result = c.equation+"...", append(c.result, dots...)
	}
}

// loops computes the result by a loop for each name.
func (c contractionCase) loops() (shape, elements []int) {
	names, sizes := []string{}, map[string]int{}
	for i, labels := range c.operands {
		for axis, name := range labels {
			if !slices.Contains(names, name) {
				names = append(names, name)
				sizes[name] = 1
			}
			if c.shapes[i][axis] != 1 {
				sizes[name] = c.shapes[i][axis]
			}
		}
	}
	shape, space := []int{}, []int{}
	for _, name := range c.result {
		if sizes[name] == 0 && !slices.Contains(names, name) {
			sizes[name] = 1
		}
		shape = append(shape, sizes[name])
	}
	for _, name := range names {
		space = append(space, sizes[name])
	}
	elements = make([]int, countOf(shape))
	each(space, func(at []int) {
		index := func(labels []string) (place []int) {
			for _, name := range labels {
				place = append(place, at[slices.Index(names, name)])
			}
			return place
		}
		term := 1
		for i, labels := range c.operands {
			place := index(labels)
			for axis, n := range c.shapes[i] {
				if n == 1 {
					place[axis] = 0
				}
			}
			term *= c.elements[i][numberOf(c.shapes[i], place)]
		}
		elements[numberOf(shape, index(c.result))] += term
	})
	return shape, elements
}

func checkEinsum(t *testing.T, d *decisions) {
	c := d.contraction()
	types := []dtype.DType{dtype.Float64, dtype.Float32, dtype.Int64, dtype.Int8, dtype.Bool, dtype.Float16}
	kind := types[d.of(len(types))]
	operands := make([]*nd.Array, len(c.operands))
	for i, elements := range c.elements {
		operands[i] = d.stored(nd.FromSlice(elements, c.shapes[i]...).Cast(kind))
	}
	if kind == dtype.Bool {
		for _, elements := range c.elements {
			for i, v := range elements {
				elements[i] = v * v
			}
		}
	}
	shape, want := c.loops()
	story := fmt.Sprint(c.equation, c.shapes, kind)
	seen := nd.Einsum(c.equation, operands...)
	require.Equal(t, kind, seen.DType(), story)
	require.Equal(t, shape, seen.Shape(), story)
	rounded := nd.FromSlice(want, shape...).Cast(kind)
	require.Equal(t, values[int](t, rounded.Cast(dtype.Of[int]())), values[int](t, seen.Cast(dtype.Of[int]())), story)
}

func TestEinsumEqualsNestedLoops(t *testing.T) {
	random, cases := rand.New(rand.NewPCG(7, 8)), 1500
	if testing.Short() {
		cases = 200
	}
	for range cases {
		checkEinsum(t, &decisions{randomBytes(random)})
	}
}

// FuzzEinsum contracts random operands by random equations and compares the result with nested loops.
func FuzzEinsum(f *testing.F) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 40 {
		f.Add(randomBytes(random))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkEinsum(t, &decisions{data}) })
}

// TestEinsumEqualsNumPy reads testdata/einsum_numpy.json, which the program beside it has written with NumPy.
func TestEinsumEqualsNumPy(t *testing.T) {
	text, err := os.ReadFile("testdata/einsum_numpy.json")
	require.NoError(t, err)
	var cases []struct {
		Equation       string
		Shapes         [][]int
		Result, Values []int
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		operands := make([]*nd.Array, len(c.Shapes))
		for i, shape := range c.Shapes {
			operands[i] = nd.Arange(0, countOf(shape), 1).Reshape(shape...).AddScalar(float64(i))
		}
		seen := nd.Einsum(c.Equation, operands...)
		require.Equal(t, c.Result, seen.Shape(), c.Equation)
		require.Equal(t, c.Values, values[int](t, seen), c.Equation)
	}
}

func TestEinsumWithoutArithmeticIsAView(t *testing.T) {
	for equation, shape := range map[string][]int{"ij->ji": {2, 3}, "ii->i": {3, 3}, "iij->ji": {2, 2, 3}, "...i->i...": {2, 2, 3}, "i": {4}} {
		x := floats(shape...)
		nd.Einsum(equation, x).SetSlice(nd.Weak(-1.0))
		require.Contains(t, values[float32](t, x), float32(-1), equation)
	}
}

func TestContractionsThatViewsCanArrangeAreOneProduct(t *testing.T) {
	env := ops.NewEnv(engine.NewNaive())
	for equation, shapes := range map[string][2][]int{
		"ij,jk->ik": {{3, 4}, {4, 5}}, "ji,jk->ki": {{4, 3}, {4, 5}}, "bhqd,bhkd->bhqk": {{2, 3, 4, 5}, {2, 3, 6, 5}},
		"ij,ij->": {{3, 4}, {3, 4}}, "ijkl,klm->mij": {{2, 3, 4, 5}, {4, 5, 6}}, "bij,bjk->bik": {{2, 3, 4}, {2, 4, 5}},
		"klij,mkl->ijm": {{4, 5, 2, 3}, {6, 4, 5}}, "ij,i->ij": {{3, 4}, {3}},
	} {
		x, y := nd.OnesIn(env, dtype.Float32, shapes[0]...).Copy(), nd.OnesIn(env, dtype.Float32, shapes[1]...).Copy()
		before := env.Engine().Stats().Done
		nd.Einsum(equation, x, y)
		require.EqualValues(t, 1, env.Engine().Stats().Done-before, equation)
	}
}

func TestMistakesInEquationsArePointedAt(t *testing.T) {
	x, y := floats(2, 3), floats(4, 5)
	for _, c := range []struct {
		equation string
		operands []*nd.Array
		reason   error
		column   int
		text     string
	}{
		{"ij,j;->i", []*nd.Array{x, y}, fault.ErrParameter, 4, `";" is no letter, comma, arrow or ellipsis`},
		{"ij->é", []*nd.Array{x}, fault.ErrParameter, 4, `"é" is no letter`},
		{"ij-j", []*nd.Array{x}, fault.ErrParameter, 2, `"-" is no letter`},
		{"i..j", []*nd.Array{x}, fault.ErrParameter, 1, `"." is no letter`},
		{"...i...", []*nd.Array{x}, fault.ErrParameter, 4, "second ellipsis"},
		{"ij->ik", []*nd.Array{x}, fault.ErrParameter, 5, "k is in the result, but in no operand"},
		{"ij->jij", []*nd.Array{x}, fault.ErrParameter, 6, "j is in the result twice"},
		{"ij->i,j", []*nd.Array{x}, fault.ErrParameter, 5, `"," is no letter`},
		{"ij->i...", []*nd.Array{x}, fault.ErrParameter, 5, "... is in the result, but in no operand"},
		{"ij,jk", []*nd.Array{x}, fault.ErrShape, 5, "2 operands, 1 are given"},
		{"ij", []*nd.Array{x, y}, fault.ErrShape, 2, "1 operands, 2 are given"},
		{"ij,jk->ik", []*nd.Array{x, y}, fault.ErrShape, 3, "axis 0 of operand 1 (j) has 4 elements, where others have 3"},
		{"ij,jkl->ik", []*nd.Array{x, y}, fault.ErrShape, 3, "operand 1 has 2 axes, the equation 3"},
		{"ij,i...jk", []*nd.Array{x, y}, fault.ErrShape, 3, "operand 1 has 2 axes, the equation 3 or more"},
		{"ii->i", []*nd.Array{x}, fault.ErrShape, 1, "axes 0 and 1 of operand 0 are both i, but have 2 and 3 elements"},
		{"...j,...->j", []*nd.Array{x, floats(2)}, fault.ErrShape, 10, "no ellipsis"},
		{"...,...k", []*nd.Array{x, y}, fault.ErrShape, 4, "axis 0 of operand 1 (...) has 4 elements, where others have 3"},
	} {
		err := mistake(t, func() { nd.Einsum(c.equation, c.operands...) })
		require.ErrorIs(t, err, c.reason, c.equation)
		require.Contains(t, err.Error(), c.text, c.equation)
		require.Equal(t, c.equation, err.Text)
		require.Equal(t, c.column, err.Column, "%s: %v", c.equation, err)
		require.Contains(t, err.Error(), " at einsum_test.go:")
	}
	require.ErrorIs(t, mistake(t, func() { nd.Einsum("ij,ij", x, nil) }), fault.ErrMisuse)
}
