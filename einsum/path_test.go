package einsum_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/einsum"
)

func bound(t *testing.T, equation string, sizes map[rune]int) *einsum.Bound {
	t.Helper()
	e, err := einsum.Parse(equation)
	require.NoError(t, err)
	var shapes [][]int
	operands, _, _ := strings.Cut(equation, "->")
	for term := range strings.SplitSeq(operands, ",") {
		shape := []int{}
		for _, letter := range term {
			shape = append(shape, sizes[letter])
		}
		shapes = append(shapes, shape)
	}
	b, err := e.Bind(shapes)
	require.NoError(t, err)
	return b
}

// cheapest returns the cost of the best of all paths of b, by trying them.
func cheapest(b *einsum.Bound, left int, path []einsum.Step) float64 {
	if left <= 1 {
		return b.Cost(path)
	}
	best := -1.0
	for right := range left {
		for first := range right {
			step := append(path[:len(path):len(path)], einsum.Step{Left: first, Right: right})
			if cost := cheapest(b, left-1, step); best < 0 || cost < best {
				best = cost
			}
		}
	}
	return best
}

// randomEquation returns an equation of so many operands, and the size of each letter.
func randomEquation(r *rand.Rand, operands int) (equation string, sizes map[rune]int) {
	const letters = "abcdefgh"
	sizes = map[rune]int{}
	for _, letter := range letters {
		sizes[letter] = 1 + r.IntN(20)
	}
	terms := make([]string, operands)
	for i := range terms {
		for _, place := range r.Perm(len(letters))[:1+r.IntN(3)] {
			terms[i] += letters[place : place+1]
		}
	}
	return strings.Join(terms, ","), sizes
}

func TestPathOfUpToFiveOperandsIsTheCheapest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		equation, sizes := randomEquation(r, 2+r.IntN(4))
		b := bound(t, equation, sizes)
		require.Equal(t, cheapest(b, len(b.Operands), nil), b.Cost(b.Path()), "%s %v", equation, sizes)
	}
}

func TestPathOfManyOperandsContractsAllAndIsNotFarFromTheCheapest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		equation, sizes := randomEquation(r, 6)
		b := bound(t, equation, sizes)
		path := b.Path()
		require.Len(t, path, 5)
		require.LessOrEqual(t, b.Cost(path), 100*cheapest(b, 6, nil), equation)
	}
	equation, sizes := randomEquation(r, 40)
	require.Len(t, bound(t, equation, sizes).Path(), 39)
}

func TestChainOfMatricesIsContractedFromItsSmallEnd(t *testing.T) {
	b := bound(t, "ab,bc,cd->ad", map[rune]int{'a': 100, 'b': 100, 'c': 100, 'd': 1})
	path := b.Path()
	require.Equal(t, []einsum.Step{{Left: 1, Right: 2}, {Left: 0, Right: 1}}, path)
	require.Equal(t, "bc,cd->bd: 10000 products\nab,bd->ad: 10000 products\n", b.Describe(path))
	require.Equal(t, 20000.0, b.Cost(path))
}

func TestResultThatIsNotWrittenHasTheLettersThatAreThereOnceSorted(t *testing.T) {
	for equation, want := range map[string]string{"ba,bc": "ac", "ii": "", "Zb...,a": "...Zab", "b": "b", "": ""} {
		e, err := einsum.Parse(equation)
		require.NoError(t, err)
		require.Equal(t, want, strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Result.Labels), " ", ""), "[]"), equation)
	}
}

func TestAnEquationIsBoundToTheShapesOfEachCall(t *testing.T) {
	e, err := einsum.Parse("ij,jk->ik")
	require.NoError(t, err)
	for _, n := range []int{3, 4, 4, 3} {
		shapes := [][]int{{2, n}, {n, 5}}
		b, err := e.Bind(shapes)
		require.NoError(t, err)
		require.Equal(t, map[einsum.Label]int{'i': 2, 'j': n, 'k': 5}, b.Sizes)
		shapes[0][1] = 9 // the caller's
		_, err = e.Bind(shapes)
		require.Error(t, err)
	}
}
