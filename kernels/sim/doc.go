// Package sim is a device in host memory: it has an address space of its own, streams, events, a memory limit, latency and
// faults on demand. Everything that a real device asks of its callers, such as replicas, copies, waiting for events and
// errors that arrive late, runs and is tested on it without a graphics processor. Its kernels are those of kernels/cpu.
//
// Importing the package registers the devices sim(0) and sim(1); New makes further, isolated machines for tests.
//
// Addresses are numbers that no host memory has, so that using one on the host crashes, and none is given out twice, so that
// memory is never used after it was freed without a fault. A kernel or a fill reaches the memory of its own device alone; a
// copy reaches every device of the backend. An access outside of a live allocation is a MemoryFault. New and freed memory
// holds 0x7ffa in every 16 bits: a NaN in every floating-point type, and no index.
//
// A Backend may be used from any goroutine, and so may its events; a stream is used by one goroutine at a time, as package
// device says. Each stream has a goroutine while it has work. Two streams that use the same memory without an event between
// them are a data race that the race detector can find: the package itself orders streams by events alone.
//
// The package measures nothing: its speed says nothing about a device, and it does not model one that is busy.
package sim
