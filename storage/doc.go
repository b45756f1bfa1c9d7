// Package storage holds the memory behind arrays: managers that hand memory out, Synced memory that keeps its copies on
// several devices coherent, and Views that see a part of it with a shape.
//
// Synced is Caffe's SyncedMemory for an asynchronous engine: a state machine over the replicas of one piece of memory,
// decided in the order in which operations are registered. A Blob is a pair of them, data and diff.
//
// # Managers
//
// A Manager has the memory of a device. NewBestFit divides large mappings of host memory by size class and best fit, with a cache
// in front for each worker; it is what cpu has if nothing else is chosen. Memory of other devices, which cannot be divided, is kept
// for allocations of at least half its size (NewPooled), or rounded as MXNet's pools do (NewRoundMultiple, NewRoundPower2).
// NewNaive keeps nothing, NewShared is memory that other processes can map, and NewGuarded stops the use of freed memory and of
// what is behind the end. WEFT_POOL and SetManager choose. A manager of host memory takes nine tenths of what the machine, or the
// control group of the process, has; SetLimit changes that. What nobody has asked for in TrimAge goes back to the system.
//
// A Block is memory that goes back when it is released, or when the collector finds it unreachable. Since the collector
// does not see how much there is, weft runs it when much more is in use than it left the last time, and before an
// allocation fails. Operations that are pending do not keep a Synced of more than 32 KiB alive: if the collector finds
// that unreachable, its memory goes back when they are done. Those that are watched, and functions that were captured,
// do.
//
// Small arrays are objects of Go's heap alone. So that the collector does not spend more on them than the program does, LoadBallast
// makes a small heap look larger by address space that nobody touches; WEFT_BALLAST sets by how much, or by nothing.
//
// What an operation will take is a Promise from when it is pushed. Where memory is short, those that overtake others leave them what
// they were promised.
//
// Usage tells how much each device has in use, Holders which lines of the program made what is in use, and LiveArrays, after
// SampleArrays, the same of small arrays.
//
// # Concurrency
//
// Managers may be used from any goroutine, and memory freed by any. Which replica of a Synced is valid is decided
// inside engine.Atomically, so Acquire must be called there; the memory itself belongs to whoever holds an engine
// access. Views are immutable values.
//
// # What it does not do
//
// Nothing here computes, and no operation waits here: one that finds no memory is parked by the engine, and if there is never any,
// that is an error of its results like others. Managers know nothing of what memory is used for, and move nothing that is in use.
package storage
