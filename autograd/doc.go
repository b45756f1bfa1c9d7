// Package autograd records what is done with watched arrays and gives gradients.
//
// There is no global mode: a Tape watches arrays that it is told to watch, and everything computed from them. The node of
// a tape travels in the handle of an array, so recording does not depend on which goroutine computes. Gradients are made
// of ordinary operators: where an outer tape watches, it records them too, which gives derivatives of higher order.
//
// # Concurrency
//
// A Tape may be used from any goroutine. Calls recorded by several goroutines are kept in an order in which every array
// comes before what is computed from it. Gradient sees what was recorded when it is called.
//
// # What it does not do
//
// Gradients of complex arrays, forward mode and custom gradients are not here. The rules themselves stand beside their
// operators in package ops.
package autograd
