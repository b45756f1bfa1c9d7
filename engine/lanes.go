package engine

import (
	"container/heap"

	"github.com/weft-nd/weft/device"
)

// ageing is how many tasks may be preferred to one that became ready before them, by priority, until that runs.
const ageing = 64

// lane is a queue of ready tasks: those with the property Prioritized first, then by priority and, among equals, in the
// order in which they became ready. So that none waits for ever, every so often the oldest runs.
type lane struct {
	plain     queue // of priority zero
	sorted    priorityQueue
	preferred int // tasks since the oldest ran
}

func (l *lane) length() int { return l.plain.length + len(l.sorted) }

func (l *lane) add(t *task) {
	if op := t.operation; op.Priority == 0 && op.Property != Prioritized {
		l.plain.add(t)
	} else {
		heap.Push(&l.sorted, t)
	}
}

// urgent reports whether a task is ready that comes before those of priority zero.
func (l *lane) urgent() bool { return len(l.sorted) > 0 && l.sorted[0].operation.precedesPlain() }

func (op *Operation) precedesPlain() bool { return op.Property == Prioritized || op.Priority > 0 }

func (l *lane) take() *task {
	if len(l.sorted) == 0 {
		return l.plain.take()
	}
	if l.preferred++; l.preferred > ageing {
		l.preferred = 0
		return l.takeOldest()
	}
	if l.plain.first == nil || l.urgent() {
		return heap.Pop(&l.sorted).(*task)
	}
	return l.plain.take()
}

func (l *lane) takeOldest() *task {
	oldest := 0
	for i, t := range l.sorted {
		if t.number < l.sorted[oldest].number {
			oldest = i
		}
	}
	if plain := l.plain.first; plain != nil && plain.number < l.sorted[oldest].number {
		return l.plain.take()
	}
	return heap.Remove(&l.sorted, oldest).(*task)
}

// priorityQueue orders tasks by the property Prioritized, then by priority and, among equals, by order of registration. It
// implements heap.Interface.
type priorityQueue []*task

func (q priorityQueue) Len() int { return len(q) }

func (q priorityQueue) Less(i, j int) bool {
	a, b := q[i].operation, q[j].operation
	if first := a.Property == Prioritized; first != (b.Property == Prioritized) {
		return first
	}
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return q[i].number < q[j].number
}

func (q priorityQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *priorityQueue) Push(t any) { *q = append(*q, t.(*task)) }

// Pop implements heap.Interface.
func (q *priorityQueue) Pop() any {
	old := *q
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return t
}

// hostLanes are the ready leaves of one CPU device: kernels, and copies, of which only some workers' number runs at a time.
type hostLanes struct {
	device  device.Device
	compute lane
	copies  lane
	copying int // copies that run
}

func (h *hostLanes) add(t *task) {
	if t.operation.isCopy() {
		h.copies.add(t)
	} else {
		h.compute.add(t)
	}
}

func (op *Operation) isCopy() bool {
	return op.Property == CopyFromDevice || op.Property == CopyToDevice
}

// giveBack tells that t, which take has returned, does not run.
func (h *hostLanes) giveBack(t *task) {
	if t.operation.isCopy() {
		h.copying--
	}
}

// take removes the task to run next: copies come first, as others wait for them elsewhere, up to the quota.
func (h *hostLanes) take(quota int) *task {
	if h.copies.length() > 0 && (h.copying < quota || h.compute.length() == 0) && !h.compute.urgent() {
		h.copying++
		return h.copies.take()
	}
	return h.compute.take()
}
