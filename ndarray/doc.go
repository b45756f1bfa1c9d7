// Package ndarray is what users of weft hold: n-dimensional arrays whose operators return at once and run in the
// background. It is imported as nd:
//
//	import nd "github.com/weft-nd/weft/ndarray"
//
//	x := nd.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
//	y := x.MatMul(x.T()).AddScalar(1).Tanh()
//	values, err := nd.Values[float32](y)
//
// # Arrays
//
// An Array is a handle on a strided view of memory: a dtype, a shape, and the Env that its operators run in. Index,
// Transpose, BroadcastTo, SlidingWindows, and Reshape where strides allow, give views: they share memory, and writes go
// through. Everything else copies. Arrays of no elements and of no axes are legal everywhere. Shapes and axes follow
// NumPy: trailing axes broadcast, negative axes and indices count from the end.
//
// # Dtypes
//
// There are bool, integers (int8 to int64, uint8 to uint64), floats (float16, bfloat16, float32, float64) and complex
// numbers (complex64, complex128). Operands of different dtypes meet as in NumPy 2 (see dtype.Promote): an operator
// computes in the smallest dtype that holds both, and in float64 for int64 with uint64, which the array API standard
// leaves open. Comparisons of integers are exact nevertheless. Numbers made by Weak, and those of methods that end in
// Scalar, take the dtype of the array.
//
// Where an operator needs floats, as division, roots, logarithms and means do, bool and integers of every width become
// float64, as in NumPy's division and mean: how many bits an element has says nothing of the digits that a quotient
// needs. Float16 and bfloat16 are computed in float32 and rounded once.
//
// # Indexing
//
// Index takes parts of arrays by NumPy's rules: by numbers, ranges, new axes, arrays of indices, masks, and strings such as
// "1:5, ..., ::-2". What numbers, ranges and marks select is a view, anything else a copy. SetSlice, AddSlice, ReduceSlice and
// UpdateSlice write to such parts; WithSlice, WithSliceAdded and WithSliceReduced return changed copies, and are
// differentiable. Where the shape of a result depends on the contents of an array (MaskSelect, MaskIndices, Nonzero, Unique,
// Bincount), the call waits for them.
//
// # Writing into arrays
//
// Forms that end in Into, and SetSlice, AddSlice, ReduceSlice and UpdateSlice, write to existing memory. The destination may be
// an operand, or share memory with operands in any way: the result is as if the operands had been copied first. No copy is made
// where the kernel needs none: for an element-wise operator whose destination is exactly an operand, and for one that combines
// values with its first operand in place. A destination in which several elements share memory, as in results of BroadcastTo
// and SlidingWindows, is a mistake. Elements of the memory outside the destination stay as they are.
//
// # Errors
//
// A mistake in a call (shapes, dtypes, axes, indices) panics at once with *Error, which names the operator, the shapes and the
// caller's line; Try turns that panic, and no other, into an error. The reasons, for errors.Is, are in package fault.
//
// A failure while an operator runs sticks to every array that depends on it and is returned by whatever waits: Wait, Values,
// At, Read, SaveNPY; printing shows it. Asking twice answers twice. The error of a part, such as a slice, sticks to the bytes
// from its first element to its last, and so to every other view that has elements there. An operator that writes all of an
// array without reading it clears the error. One that writes all of a part whose elements follow one another in memory clears
// the error of the part, unless the whole array is in error.
//
// # Places
//
// Functions that end in In make arrays in a given Env, with its engine and device: ZerosIn, FromSliceIn, and those that read
// files, such as LoadNPYIn. The others use the default Env.
//
// # Concurrency
//
// Every function and method may be called from any goroutine. Calls of one goroutine take effect in the order of the calls;
// those of several in some order, as if each ran alone. Methods that consist of several operators, such as UpdateSlice and
// Quantile, or that cast operands to a common dtype first, may see what other goroutines write between these.
//
// Functions that wait say so. Those that take no context, such as At, Item, Values and SaveNPY, wait as long as it takes; call
// a.Wait(ctx) first to bound the wait. If nothing else runs, the caller itself computes what takes less than about six
// microseconds, or sixteen if workers share it: handing it over would cost more.
//
// # What it does not do
//
// Operators are defined in package ops; most methods here are generated from its registry. Package autograd computes gradients,
// and package random makes random arrays.
package ndarray
