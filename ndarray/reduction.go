package ndarray

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Reduction says what becomes of what is at a place where values are put, and of several values that come to one place: of all of them, in
// the order of their indices, one is made. It is the same for any number of workers.
type Reduction = ops.Reduction

// The reductions. Sums are of all numbers; products of bools too, which are conjunctions; extremes are of bools and
// real numbers, NaN if one is. The gradient of an extreme is shared equally by all that are it, as that of PyTorch's
// amax.
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
