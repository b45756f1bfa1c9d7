// Package ops is the registry of operators, and the only way to run them.
//
// An Operator is a value with all its rules beside it: inputs, parameters, inference of shapes and element types, the kernel it
// runs, its gradient in terms of other operators, documentation and test samples. Everything else derives from the registry:
// methods of arrays, documentation, tests. Invoke checks a call in the caller's goroutine, pushes the operator to the engine
// and returns at once; recorders (tapes) see every call whose operands they watch. If the operands are ready and nothing is
// pending, the caller computes what takes no more than some microseconds itself, since handing it to a worker would take
// longer; others may push meanwhile. Element-wise operators and reductions do so by shortcuts, which are learned from earlier
// calls; any other operator that is brief does so once the call is prepared.
//
// # Concurrency
//
// Operators, Envs and Tensors are immutable handles and may be used from any goroutine. Invoke may be called from any
// goroutine; the contents of arrays are ordered by the engine in the order of the calls.
//
// # What it does not do
//
// Users hold the arrays of package ndarray, which are these Tensors with methods. Tapes are in package autograd. No arithmetic
// is done here: kernels are found by name in kernels/cpu and in backends.
//
// # Where things are
//
//   - operator, params, rule, derived and kernel say what an operator is; call, broadcast, elementwise and reduction have what many
//     operators infer and lower by.
//   - invoke makes a call, launch, binding and recycle lead it through the engine; immediate, rest, straight and shortcut compute it in
//     the caller.
//   - env, scope and memory_scope are what arrays carry; tensor, part, scalar, number, element and access are arrays.
//   - recorder and composite serve tapes; capture_* and drawing are captures.
//   - user_kernel, fallback and cost are what they say.
//
// All other files define operators of one kind, or what such operators share, and are named by it.
package ops
