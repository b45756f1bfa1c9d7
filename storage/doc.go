// Package storage holds the memory behind arrays: managers that hand memory out, Synced memory that keeps its copies on
// several devices coherent, and Views that see a part of it with a shape.
//
// Synced is Caffe's SyncedMemory for an asynchronous engine: a state machine over the replicas of one piece of memory,
// decided in the order in which operations are registered. A Blob is a pair of them, data and diff.
//
// # Managers
//
// A Manager hands out the memory of a device. NewBestFit divides large mappings of host memory by size class and best fit, with
// a cache in front for each worker; it is the default for cpu. Memory of other devices cannot be divided: it is kept for
// allocations of at least half its size (NewPooled), or rounded as MXNet's pools do (NewRoundMultiple, NewRoundPower2).
// NewNaive keeps nothing, NewShared hands out memory that other processes can map, and NewGuarded catches the use of freed
// memory and accesses beyond the end of an array. WEFT_POOL or SetManager chooses the manager. One of host memory takes at most
// nine tenths of the memory of the machine, or of the process's control group; SetLimit changes that. Memory that is not reused
// within TrimAge goes back to the system.
//
// A Block is memory that goes back to its manager when it is released, or when the garbage collector finds it unreachable.
// Since this memory is outside the collector's sight, weft runs the collector when much more is in use than it left the last
// time, and before an allocation fails. Pending operations do not keep a Synced of more than 32 KiB alive: if the collector
// finds it unreachable, its memory goes back when they are done. Operations that a tape watches, and captured functions, do
// keep it alive.
//
// Small arrays live in Go's heap alone. To keep the collector from running all the time for their sake, LoadBallast makes a
// small heap look larger by address space that is never touched; WEFT_BALLAST sets how much, and 0 turns it off.
//
// From the moment an operation is pushed, the memory that it will take is a Promise. Where memory is short, an operation that
// overtakes others leaves them what they were promised.
//
// Usage reports how much memory each device has in use, Holders which lines of the program allocated it, and LiveArrays, after
// SampleArrays, does the same for small arrays.
//
// # Concurrency
//
// Managers may be used from any goroutine, and memory freed by any. Which replica of a Synced is valid is decided inside
// engine.Atomically, so Acquire must be called there. The memory itself belongs to the operation that holds an engine access to
// it. Views are immutable values.
//
// # What it does not do
//
// Nothing here computes, and no operation waits here: one that finds no memory is parked by the engine, and if none becomes
// free its results carry the error, as for any other failure. Managers do not know what memory is used for, and never move
// memory that is in use.
//
// # Where things are
//
//   - synced, replica, fill, prefetch, external, alone, hold, kept and remains are Synced memory; view and overlap see parts of it.
//   - small is the memory of small arrays, and blob that of Blobs.
//   - manager is the interface of managers, and managers chooses them. Managers are best_fit (with front, region and size_class),
//     rounded, naive, guarded (with guard, pages and protect), shared (with unlinked) and pinned. They get memory from a source, as host
//     (with advise) is one, and trimmer and budget say how much they keep and take.
//   - block, allocation and lease are memory that is in use; estate, pressure, collect, recycled, ballast and sparse are how it comes back.
//   - promise (with prefix sums) and hunger are for want of memory; holders and sampling tell who has it.
//   - mapped is files in memory.
package storage
