// Package device names the places where arrays live and operators run, and defines what such a place must offer.
//
// A Device is a comparable value such as cpu(0) or gpu(1). A Backend makes the devices of one kind usable: memory,
// streams, events and kernels. Backends register themselves when their package is imported; the CPU is always there and
// needs no Backend, because its kernels are Go functions (package kernels/cpu).
//
// Devices, Pointers and Views are values. The registry of backends may be used from any goroutine; a Stream is used by one
// goroutine at a time. This package allocates nothing and schedules nothing.
package device
