// Package parallel owns the workers of the process and shares loops among them: fork-join inside one operator, in the
// manner of Numba's threading layer.
//
// A [Pool] has a fixed number of workers. One set of goroutines serves two kinds of work, so that together they never
// oversubscribe the machine: the [Source]s registered with [Pool.AddSource] (the queues of a dependency engine), and the
// regions that [Thread.For] opens. The goroutine that calls For, the launcher, always takes part and can finish the region
// alone; idle workers join it. Nothing depends on a helper that has not started, so regions nest to any depth without deadlock.
//
// That is [LayerWorkqueue]. On [LayerGoroutine] regions start goroutines instead, which pays off for work above some hundred
// microseconds, and leaves nothing spinning; on [LayerSerial] they run in their callers, for debugging. The environment
// variable WEFT_THREADING_LAYER chooses the layer of the process, as NUMBA_THREADING_LAYER does, and package paralleltest tests
// what holds on every layer.
//
// A [Thread] is Numba's thread-local state made visible. It holds the mask (how many threads a region may use), the chunk size,
// and inside a region the identity of the participant. Regions read the mask and the chunk size at entry. Each call of a body
// gets the handle of its participant, with the launcher's mask, chunk size 0 and one more level, so what a body sets ends with
// that call.
//
// # Schedules
//
// A region of mask m over n items has min(m, n) slots, or as many as there are chunks if these are fewer. Each slot has a lot
// of neighbouring items, which its participant runs first. Lots are as even as possible, but long ones begin on a cache line,
// and in a region of [Thread.ForCost] of less than sixty microseconds the launcher's is longer than the others, since it begins
// first. A worker takes the same slot in every region, if it is free, so that it finds in its processor's cache what it wrote
// in the region before. A participant that has run its lot goes on with what is left of others; in [Thread.ForOwn] only with
// lots that nobody has begun, after a moment in which their owners may still come.
//
// With chunk size 0 all slots are used: each by some participant, who runs half of its lot at once; every further piece is half
// as long as the one before, so that the participants end together, and one that the operating system stopped does little harm.
// A lot of some ten microseconds has fewer pieces, and one of less than eight is a single piece. With chunk size c > 0 the
// pieces are chunks of about c items: as many as [Chunks] returns, up to 2^30, as even as possible; where there are no more of
// them than threads, each lot is one chunk. [Thread.ForBlocks] divides a space of several axes. Either way a body runs once for
// every item, identities are below the mask, and no two calls under the same identity overlap.
//
// Which participant runs an item is not determined. Work whose result must not depend on that in any bit goes through [Reduce],
// whose blocks and order of joining depend on the arguments alone.
//
// # Concurrency
//
// All methods of a Pool may be called from any goroutine. A Thread is used by one goroutine at a time: another goroutine
// gets its own from [Pool.Thread] or [Thread.Fork]. The handle that a body receives is valid during that call.
//
// # Idle workers
//
// An idle worker spins cooperatively for a counted number of rounds, yielding its processor in each (some 150 microseconds in
// all), and then parks. [Pool.Notify] and regions that want helpers wake it. Nobody is woken for a source while a worker is
// looking for work; a worker that finds work wakes the next if there is more.
//
// A yield costs nothing where nobody else wants the processor. But if it lets a goroutine run that computes, the processor is
// gone for a time slice, 10 to 20 milliseconds. So a launcher that waits for the last participants first looks without
// yielding, and so does a worker that waits for the next region: for about twice as long as was needed lately, up to some 100
// and 30 microseconds, and at any time in fewer goroutines than there are processors. Thus, beside a busy goroutine, the
// participants of successive regions get their fair share of the processors.
//
// # Differences from Numba
//
// The thread-local settings are those of a handle, so a region never changes those of its caller. A nested or concurrent region
// is no error on any layer. Workers are launched once, at the first region that has helpers. Fork and spawn do not matter,
// since a Go program does neither. A division has no empty chunks.
//
// # Not here
//
// There are no tasks, futures or priorities (they belong to a Source), no cancellation of a region other than by a panic,
// and no pinning of workers to processors.
package parallel
