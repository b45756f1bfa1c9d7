package fault

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

type operand struct {
	shape []int
	dtype dtype.DType
}

func (o operand) Shape() []int       { return o.shape }
func (o operand) DType() dtype.DType { return o.dtype }

func TestMistakeTellsOfAllOperands(t *testing.T) {
	err := Mistake(Here(0), "linalg.Cross", ErrShape, "want 3", operand{[]int{2}, dtype.Int8}, operand{[]int{}, dtype.Float32})
	require.Regexp(t, `^weft: linalg\.Cross: want 3 \[int8 \(2,\), float32 \(\)\] at mistake_test\.go:\d+$`, err.Error())
	require.ErrorIs(t, err, ErrShape)
	require.Regexp(t, `^weft: Norm: nil at mistake_test\.go:\d+$`, Mistake[operand](Here(0), "Norm", ErrMisuse, "nil").Error())
}

func TestErrorsOfVariablesTellWhatIsLegal(t *testing.T) {
	err := Variable("WEFT_ENGINE", "warp", "naive, pooled")
	require.EqualError(t, err, `weft: WEFT_ENGINE: the environment variable is "warp" (legal: naive, pooled)`)
	require.ErrorIs(t, err, ErrParameter)
}
