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
// Index takes parts of arrays by NumPy's rules: numbers, ranges, new axes, arrays of indices, masks, and texts such as
// "1:5, ..., ::-2". What numbers, ranges and marks select is a view, anything else a copy. SetSlice, AddSlice,
// ReduceSlice and UpdateSlice write to such parts; WithSlice, WithSliceAdded and WithSliceReduced make changed copies,
// which tapes see through. Where the contents of a mask decide about a shape (MaskSelect, MaskIndices, Nonzero, Unique,
// Bincount), the call waits for them.
//
// # Writing into arrays
//
// Forms that end in Into, and SetSlice, AddSlice, ReduceSlice and UpdateSlice, write to memory that is there. The
// destination may be an operand, or share memory with operands in any way: the result is as if the operands had been
// copied first. No copy is made where the kernel needs none: by an element-wise operator whose destination is exactly
// the operand, and by one that joins values to its first operand, in place. A destination in which several elements
// share memory, as in those of BroadcastTo and SlidingWindows, is a mistake. Elements of the memory that the
// destination does not see stay as they are.
//
// # Errors
//
// A mistake in a call (shapes, dtypes, axes, indices) panics at once with *Error, which names the operator, the shapes
// and the caller's line; Try turns that, and only that, into an error. The reasons, for errors.Is, are in package
// fault.
//
// A failure while an operator runs sticks to every array that depends on it and is returned by whatever waits: Wait,
// Values, At, Read, SaveNPY; printing shows it. Asking twice answers twice. The error of a part, such as a slice,
// sticks to the bytes from its first element to its last, and so to whatever else has elements there. An operator that
// writes all of an array without reading it cures the array. One that writes all of a part, whose elements follow one
// another in memory, cures the part, unless the error is one of all of the array.
//
// # Places
//
// Functions that end in In make arrays in a given Env, with its engine and device: ZerosIn, FromSliceIn, and those that
// read files, LoadNPYIn and the like. The others take the default Env.
//
// # Concurrency
//
// Every function and method may be called from any goroutine. Calls of one goroutine take effect in the order of the
// calls; those of several in some order, as if each ran alone. Methods that are made of several operators, as
// UpdateSlice and Quantile are, or cast operands to a common dtype first, may meet what others write between these.
//
// Functions that wait say so. Those of them that take no context, such as At, Item, Values and SaveNPY, wait as long as
// it takes: after a.Wait(ctx), which ends with ctx, they find a there. Where nothing else runs, the caller itself
// computes what takes less than some six microseconds, or sixteen where workers share it: handing it over would cost
// more.
//
// # What it does not do
//
// Operators are defined in package ops; most methods here are generated from its registry. Gradients are taken by package
// autograd, random arrays made by package random.
package ndarray
