package profile

import (
	"slices"
)

// CriticalPath returns the chain of operations that the end waited for, first to last: the operation that ended last,
// before it the one whose end made it ready, and so on, back to one that was ready when pushed or is no longer kept.
// Between two of its links only a free worker was missing.
func (l *Log) CriticalPath() []Record {
	records := l.all()
	byNumber := make(map[uint64]int, len(records))
	last := -1
	for i := range records {
		r := &records[i]
		if r.isWait() {
			continue
		}
		byNumber[r.Number] = i
		if last < 0 || r.End >= records[last].End {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	path := []Record{records[last]}
	for {
		r := &path[len(path)-1]
		cause, kept := byNumber[r.Cause]
		if r.Cause == 0 || !kept || r.Cause >= r.Number {
			break
		}
		path = append(path, records[cause])
	}
	slices.Reverse(path)
	return path
}
