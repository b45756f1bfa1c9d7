// Package optim updates parameters by their gradients.
//
// A step changes all parameters or none: when a gradient is in error, or memory runs out, the step is skipped as a whole and
// reports why, so that it can be repeated with the result of an undisturbed run.
//
// The rules are [NewSGD], [NewAdam], [NewAdamW] and [NewRMSProp]. Learning rates change by a [Schedule], and differ between parameters
// by [RateFactor]; [ClipNorm] and [ClipValue] limit gradients before a step. [Optimiser.State] and [Optimiser.SetState] save an
// optimiser and restore it.
//
// # Concurrency
//
// An optimiser is used by one goroutine at a time. The parameters it updates may be read by others; what they read is
// ordered by their calls.
//
// # What it does not do
//
// Gradients come from package autograd.
package optim
