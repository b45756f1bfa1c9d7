package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

func TestErrorNamesOperatorShapesAndLine(t *testing.T) {
	err := &Error{
		Operator: "add", Detail: "shapes (3,2) and (4,2) do not broadcast", Cause: ErrShape, Device: "cpu(0)",
		Shapes: [][]int{{3, 2}, {4, 2}}, DTypes: []dtype.DType{dtype.Float32, dtype.Float64}, Site: Here(0),
	}
	require.Regexp(t, `^weft: add: shapes \(3,2\) and \(4,2\) do not broadcast \[float32 \(3,2\), float64 \(4,2\)\] on cpu\(0\) at error_test\.go:\d+$`, err.Error())
	require.ErrorIs(t, err, ErrShape)
}

func TestFollowKeepsRootLastLinkAndCount(t *testing.T) {
	root := &Error{Operator: "take", Cause: io.ErrUnexpectedEOF, Detail: "index 9"}
	link := root
	for i := range 1000 {
		link = link.Follow(&Error{Operator: fmt.Sprint("op", i)})
	}
	require.Same(t, root, link.Root)
	require.Equal(t, 1000, link.Links)
	require.Equal(t, "op998", link.Via)
	require.ErrorIs(t, link, io.ErrUnexpectedEOF)
	var typed *Error
	require.True(t, errors.As(error(link), &typed))
	require.Contains(t, link.Error(), "index 9")
	require.Less(t, len(link.Error()), 200)
}

func TestShapesAreWrittenAsPythonsTuples(t *testing.T) {
	for want, shape := range map[string][]int{"()": {}, "(3,)": {3}, "(3,0)": {3, 0}} {
		require.Equal(t, want, FormatShape(shape))
	}
}

func TestErrorPointsIntoTheTextThatTheMistakeIsIn(t *testing.T) {
	err := &Error{Operator: "Index", Detail: "no number", Cause: ErrParameter, Text: "α, x", Column: len("α, ")}
	require.Equal(t, "weft: Index: no number\n\tα, x\n\t   ^", err.Error())
	err.Column = 99
	require.Equal(t, "weft: Index: no number\n\tα, x\n\t    ^", err.Error())
}

func TestErrorInAGradientNamesTheUsersOperatorFirst(t *testing.T) {
	forward, backward := Here(0), Here(0)
	site := backward.InGradientOf("exp", forward)
	require.Same(t, site, backward.InGradientOf("exp", forward))
	require.Equal(t, backward.String(), site.String())
	err := &Error{Operator: "mul", Detail: "no kernel", Cause: ErrDevice, Site: site}
	require.Regexp(t, `^weft: in the gradient of exp at error_test\.go:\d+: mul: no kernel at error_test\.go:\d+$`, err.Error())
	link := err.Follow(&Error{Operator: "add", Site: backward})
	require.Regexp(t, `^weft: add was not run at error_test\.go:\d+: its input failed: in the gradient of exp at error_test\.go:\d+: mul: no kernel`, link.Error())
	twice := &Error{Operator: "sub", Cause: ErrDevice, Site: backward.InGradientOf("mul", site)}
	require.Regexp(t, `^weft: in the gradient of mul at error_test\.go:\d+: in the gradient of exp at error_test\.go:\d+: sub: device`, twice.Error())
	operator, of, found := site.Gradient()
	require.Equal(t, "exp", operator)
	require.Same(t, forward, of)
	require.True(t, found)
	_, _, found = backward.Gradient()
	require.False(t, found)
	require.Nil(t, (*Site)(nil).InGradientOf("exp", forward))
}
