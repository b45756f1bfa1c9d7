package weft_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// badInput is a mistaken call, and the error that it gives.
type badInput struct {
	operator string // that the error names
	reason   error  // for errors.Is
	text     string // in the error
	// call panics with the error if it is a func(), returns it if it is a func() error, and has it in its result, which comes as if
	// nothing were wrong, if it is a func() *nd.Array.
	call any
}

// badInputs are the tables, by family.
var badInputs = map[string]func() []badInput{
	"creation": badCreation, "casts and scalars": badScalars, "element-wise": badElementWise, "reductions": badReductions,
	"manipulation": badManipulation, "products": badProducts, "sorting, sets and searching": badSorting, "indexing": badIndexing,
	"gathering": badGathering, "files": badFiles, "edges": badEdges, "places and scopes": badPlaces, "convolutions": badConvolutions,
	"random": badRandom, "transforms": badTransforms, "linear algebra": badLinearAlgebra, "layers": badLayers, "recurrent layers": badRecurrentLayers, "losses": badLosses, "optimisers": badOptimisers, "data": badData, "autograd": badAutograd,
}

func TestBadInputGivesOneTypedErrorAndWorkGoesOn(t *testing.T) {
	rows := 0
	for family, table := range badInputs {
		t.Run(family, func(t *testing.T) {
			for _, row := range table() {
				rows++
				row.check(t)
				sum, err := nd.Item[float64](nd.FromSlice([]float64{1, 2}).Sum())
				require.NoError(t, err)
				require.EqualValues(t, 3, sum, "work goes on")
			}
		})
	}
	t.Logf("%d rows", rows)
	require.GreaterOrEqual(t, rows, 300)
}

func (row badInput) check(t *testing.T) {
	var err error
	panicked := nd.Try(func() {
		switch call := row.call.(type) {
		case func():
			call()
		case func() error:
			err = call()
		case func() *nd.Array:
			result := call()
			err = result.Wait(t.Context())
			require.Equal(t, err, result.Wait(t.Context()), "asking twice answers twice")
		default:
			require.FailNow(t, "a call of another form", "%T", call)
		}
	})
	entry := reflect.ValueOf(row.call).Pointer()
	file, line := runtime.FuncForPC(entry).FileLine(entry)
	site := fmt.Sprintf("%s:%d", filepath.Base(file), line)
	if _, panics := row.call.(func()); panics {
		err = panicked
	} else {
		require.NoError(t, panicked, site)
	}
	var typed *nd.Error
	require.ErrorAs(t, err, &typed, "%s: the row of %s", site, row.operator)
	require.Equal(t, row.operator, typed.Operator, "%s: %v", site, err)
	require.True(t, errors.Is(err, row.reason), "%s: %v is no %v", site, err, row.reason)
	require.Contains(t, err.Error(), row.text, site)
	frame, found := typed.Site.Frame()
	require.True(t, found && filepath.Base(frame.File) == filepath.Base(file), "%s: %v", site, err)
	require.Contains(t, []int{line, line + 1}, frame.Line, "the line of the call, %s: %v", site, err)
	require.Contains(t, err.Error(), " at "+typed.Site.String())
	require.Equal(t, 1, strings.Count(err.Error(), "weft: "), "one error: %v", err)
}

// ramp returns the numbers 0, 1, … in an array of float32 of the given shape.
func ramp(shape ...int) *nd.Array {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return nd.Arange(0, float32(count), 1).Reshape(shape...)
}
