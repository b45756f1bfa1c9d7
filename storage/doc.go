// Package storage holds the memory behind arrays: managers that hand memory out, Synced memory that keeps its copies on
// several devices coherent, and Views that see a part of it with a shape.
//
// Synced is Caffe's SyncedMemory for an asynchronous engine: a state machine over the replicas of one piece of memory,
// decided in the order in which operations are registered. A Blob is a pair of them, data and diff.
//
// # Concurrency
//
// Managers may be used from any goroutine. Which replica of a Synced is valid is decided inside engine.Atomically, so
// Acquire must be called there; the memory itself belongs to whoever holds an engine access. Views are immutable values.
//
// # What it does not do
//
// Nothing here computes, and nothing blocks: an allocation that fails is an error of the operation that needed it.
package storage
