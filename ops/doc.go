// Package ops is the registry of operators, and the one way to run them.
//
// An Operator is a value with all its rules beside it: inputs, parameters, inference of shapes and element types, the
// kernel it runs, its gradient in terms of other operators, documentation and test samples. Everything else derives from
// the registry: methods of arrays, documentation, tests. Invoke checks a call in the caller's goroutine, pushes the operator
// to the engine and returns at once; recorders (tapes) see every call whose operands they watch. Where the operands are there and
// nothing is pending, the caller itself does what takes less than a worker's way to it, some microseconds, while which others may push:
// element-wise operators and reductions by shortcuts, which earlier calls have shown, and any other that is brief once it was prepared.
//
// # Concurrency
//
// Operators, Envs and Tensors are immutable handles and may be used from any goroutine. Invoke may be called from any
// goroutine; the contents of arrays are ordered by the engine in the order of the calls.
//
// # What it does not do
//
// Users hold package ndarray's arrays, which are these Tensors with methods. Tapes are in package autograd. No arithmetic is
// done here: kernels are found by name in kernels/cpu and in backends.
package ops
