// Package fault holds the one error type of weft and the call sites that errors point to.
//
// An Error tells which operator failed on which shapes, element types and device, why, and which line of the user's
// program asked for it. Errors that travel from operator to operator keep the root, the last link and the length of the
// chain, never the whole chain. Errors and Sites are immutable once published and may be read from any goroutine. The
// package decides nothing about when errors are raised or cleared: that is the engine's.
package fault
