package profile

import (
	"iter"
	"sync"
)

// DefaultLimit is how many records a Log keeps if it is not told otherwise.
const DefaultLimit = 1 << 20

// Log is an Observer that keeps the newest records in memory, some 100 bytes each. It grows as records arrive and never
// shrinks.
type Log struct {
	limit uint64

	mu       sync.Mutex
	observed uint64   // records so far; the position of the next one
	chunks   []*chunk // the oldest first; all but the last are full
	last     *chunk
}

// New returns a Log that keeps the newest limit records; DefaultLimit of them if limit is zero or less.
func New(limit int) *Log {
	if limit <= 0 {
		limit = DefaultLimit
	}
	first := newChunk(chunkSize)
	return &Log{limit: uint64(limit), chunks: []*chunk{first}, last: first}
}

// Observe implements Observer.
func (l *Log) Observe(r *Record) { l.add(r) }

// add returns how many records there were so far, r included.
func (l *Log) add(r *Record) uint64 {
	l.mu.Lock()
	if l.last.full() {
		l.extend()
	}
	l.last.add(r)
	l.observed++
	observed := l.observed
	l.mu.Unlock()
	return observed
}

// extend begins a chunk: the oldest one again, if the others are enough for the limit.
func (l *Log) extend() {
	enough := l.limit/chunkSize + 1
	if l.limit%chunkSize != 0 {
		enough++
	}
	if uint64(len(l.chunks)) < enough {
		l.last = newChunk(len(l.last.accesses) + chunkSize/4)
	} else {
		l.last = l.chunks[0]
		l.last.reset()
		l.chunks = append(l.chunks[:0], l.chunks[1:]...)
	}
	l.chunks = append(l.chunks, l.last)
}

// Dropped returns how many records the newest ones have replaced.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.oldest()
}

// oldest returns the position of the oldest record that is kept. Called with the lock held.
func (l *Log) oldest() uint64 { return l.observed - min(l.observed, l.limit) }

// Records returns the records kept when the iteration begins, in the order in which they were observed: that of the ends
// of their operations. They are copies and stay valid. Records that newer ones replace during the iteration are left out.
func (l *Log) Records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		end := l.position()
		for next := uint64(0); next < end; {
			var records []Record
			records, next = l.batch(next, end)
			for _, r := range records {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// position returns that of the record which is observed next.
func (l *Log) position() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.observed
}

// batchSize bounds for how long the lock is held to copy records.
const batchSize = 256

// batch returns copies of some records from position from on, or from the oldest if that is newer, up to before end, and
// the position after them.
func (l *Log) batch(from, end uint64) (records []Record, next uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, end = max(from, l.oldest()), min(end, l.observed)
	if from >= end {
		return nil, max(from, end)
	}
	base := l.observed - uint64(l.last.used) - uint64(len(l.chunks)-1)*chunkSize // the position of the first in chunks
	index := from - base
	inside := int(index % chunkSize)
	count := min(int(end-from), batchSize, chunkSize-inside)
	return l.chunks[index/chunkSize].records(inside, inside+count), from + uint64(count)
}

// all returns the records that are kept.
func (l *Log) all() []Record {
	l.mu.Lock()
	kept := l.observed - l.oldest()
	l.mu.Unlock()
	records := make([]Record, 0, kept)
	for r := range l.Records() {
		records = append(records, r)
	}
	return records
}
