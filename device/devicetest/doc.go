// Package devicetest is the suite that every backend of devices passes: memory, streams, events and kernels, as package device
// promises them. RunAll is a test of its caller; it may run beside others on the same backend.
package devicetest
