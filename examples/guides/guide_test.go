package guides

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// ctx is the context of all rows.
var ctx = context.Background()

// section is a part of a guide. The rows of a section show, of several statements, all but the last one, which only tells what to
// look at.
type section[R any] struct {
	title string
	rows  []R
}

// run returns the results of ours, a func() any or a func() (any, error).
func run(t *testing.T, ours any) any {
	switch call := ours.(type) {
	case func() any:
		return call()
	case func() (any, error):
		result, err := call()
		require.NoError(t, err)
		return result
	}
	require.FailNow(t, "a row of another form", "%T", ours)
	return nil
}

// described returns the dtype, shape and text of an array, with so many digits behind the point or all if precision is 0, and the text of
// anything else.
func described(result any, precision int) string {
	switch v := result.(type) {
	case *nd.Array:
		text, err := fmt.Sprint(v), error(nil)
		if precision > 0 {
			text, err = v.Text(nd.PrintOptions{Precision: precision})
		}
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%v %s %s", v.DType(), fault.FormatShape(v.Shape()), text)
	case []*nd.Array:
		texts := make([]string, len(v))
		for i, a := range v {
			texts[i] = described(a, precision)
		}
		return strings.Join(texts, "\n")
	case []float64:
		return described(nd.FromSlice(v), precision)
	case []float32:
		return described(nd.FromSlice(v), precision)
	case []int:
		return fault.FormatShape(v)
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	}
	return fmt.Sprint(result)
}
