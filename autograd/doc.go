// Package autograd records what is done with watched arrays and gives gradients.
//
// There is no global mode: a Tape watches arrays that it is told to watch, and everything computed from them. The node of
// a tape travels in the handle of an array, so recording does not depend on which goroutine computes. Gradients are made
// of ordinary operators: where an outer tape watches, it records them too, which gives derivatives of higher order.
//
// ValueAndGradient, Jacobian, Hessian and HessianVector do all this for a function. A Function has a gradient of its own,
// which may be Go code on values; Checkpoint computes again what a tape would save. Array.Detach stops gradients: what it
// returns is a constant to every tape (stop_gradient, or BlockGrad, elsewhere).
//
// Gradients of complex numbers x + iy are ∂L/∂x + i·∂L/∂y for a real loss L, as in PyTorch: see Tape.Gradient.
//
// What a tape has saved is protected: writing to it fails at the call, and names the line that saved it too. A tape lets go
// of everything in Gradient, unless it is persistent, in Close, and when it is collected.
//
// # Concurrency
//
// A Tape may be used from any goroutine. Calls recorded by several goroutines are kept in an order in which every array
// comes before what is computed from it. Gradient sees what was recorded when it is called.
//
// # What it does not do
//
// Forward mode is not here, and Jacobian and Hessian are of real numbers. The rules themselves stand beside their operators in package ops.
package autograd
