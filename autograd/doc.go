// Package autograd records what is computed from watched arrays, and computes gradients.
//
// There is no global mode: a Tape watches the arrays that it is told to watch, and everything computed from them. That a tape
// watches an array is stored in the handle of the array, so recording does not depend on which goroutine computes. Gradients
// are computed by ordinary operators: an outer tape that watches the arrays records these too, which gives derivatives of
// higher order.
//
// ValueAndGradient, Jacobian, Hessian and HessianVector do all this for a function. A Function has a gradient of its own, which
// may be Go code on values; Checkpoint computes again what a tape would save otherwise. Array.Detach stops gradients: its
// result is a constant to every tape (other libraries call this stop_gradient or BlockGrad).
//
// Gradients of complex numbers x + iy are ∂L/∂x + i·∂L/∂y for a real loss L, as in PyTorch: see Tape.Gradient.
//
// What a tape has saved is protected: a call that writes to it panics, with an error that also names the line that saved it. A
// tape lets go of everything in Gradient, unless it is persistent, in Close, and when it is garbage collected.
//
// # Concurrency
//
// A Tape may be used from any goroutine. Calls recorded by several goroutines are kept in an order in which every array
// comes before what is computed from it. Gradient sees what was recorded when it is called.
//
// # What it does not do
//
// There is no forward mode, and Jacobian and Hessian are for real numbers only. The gradient rules themselves are beside their
// operators in package ops.
package autograd
