package engine

// queue is a list of ready operations, first in, first out, linked through the operations themselves.
type queue struct {
	first, last *Operation
}

func (q *queue) add(op *Operation) {
	op.next = nil
	if q.first == nil {
		q.first = op
	} else {
		q.last.next = op
	}
	q.last = op
}

func (q *queue) take() *Operation {
	op := q.first
	if op == nil {
		return nil
	}
	if q.first = op.next; q.first == nil {
		q.last = nil
	}
	op.next = nil
	return op
}

func (q *queue) append(more queue) {
	switch {
	case more.first == nil:
	case q.first == nil:
		*q = more
	default:
		q.last.next = more.first
		q.last = more.last
	}
}

// priorityQueue orders operations by the property Prioritized, then by priority and, among equals, by order of
// registration. It implements heap.Interface.
type priorityQueue []*Operation

func (q priorityQueue) Len() int { return len(q) }

func (q priorityQueue) Less(i, j int) bool {
	if first := q[i].Property == Prioritized; first != (q[j].Property == Prioritized) {
		return first
	}
	if q[i].Priority != q[j].Priority {
		return q[i].Priority > q[j].Priority
	}
	return q[i].number < q[j].number
}

func (q priorityQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *priorityQueue) Push(op any) { *q = append(*q, op.(*Operation)) }

// Pop implements heap.Interface.
func (q *priorityQueue) Pop() any {
	old := *q
	op := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return op
}
