package ndarray

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Reduction says how values that are put into an array are combined with what is there, and with other values that go to the
// same place, in the order of their indices. The result is the same for any number of workers.
type Reduction = ops.Reduction

// The reductions. Sums take all numbers; products take bools too, which are conjunctions; extremes take bools and real numbers,
// and are NaN if one is. The gradient of an extreme is shared equally by all elements that equal it, as in PyTorch's amax.
const (
	ReduceAdd = ops.ReduceAdd
	ReduceMul = ops.ReduceMul
	ReduceMax = ops.ReduceMax
	ReduceMin = ops.ReduceMin
)

// ofPairs are the operators that do to each element once what reductions do.
var ofPairs = map[Reduction]*ops.Operator{ReduceAdd: ops.Add, ReduceMul: ops.Mul, ReduceMax: ops.Maximum, ReduceMin: ops.Minimum}

// checkReduction panics with *Error unless there is such a reduction.
func checkReduction(operator string, reduction Reduction, operands ...*Array) {
	if ofPairs[reduction] == nil {
		checkNotNil(operator, operands...)
		detail := fmt.Sprintf("there is no reduction %q (legal: ReduceAdd, ReduceMul, ReduceMax, ReduceMin)", string(reduction))
		fail(operator, fault.ErrParameter, detail, operands...)
	}
}
