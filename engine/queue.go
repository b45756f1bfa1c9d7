package engine

// queue is a list of tasks, first in, first out, linked through the tasks themselves.
type queue struct {
	first, last *task
	length      int
}

func (q *queue) add(t *task) {
	t.next = nil
	if q.first == nil {
		q.first = t
	} else {
		q.last.next = t
	}
	q.last = t
	q.length++
}

func (q *queue) take() *task {
	t := q.first
	if t == nil {
		return nil
	}
	if q.first = t.next; q.first == nil {
		q.last = nil
	}
	t.next = nil
	q.length--
	return t
}

func (q *queue) takeAll() queue {
	all := *q
	*q = queue{}
	return all
}

func (q *queue) append(more queue) {
	switch {
	case more.first == nil:
	case q.first == nil:
		*q = more
	default:
		q.last.next = more.first
		q.last = more.last
		q.length += more.length
	}
}
