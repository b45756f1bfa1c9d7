package train

import (
	"slices"
	"sync"

	"github.com/weft-nd/weft/ops"
)

// recorder is an ops.Witness that keeps records until it forgets them.
type recorder struct {
	mu      sync.Mutex
	nodes   int
	records []*ops.Record
}

// Reserve implements ops.Recorder.
func (r *recorder) Reserve(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes += n
	return r.nodes - n
}

// Record implements ops.Recorder.
func (r *recorder) Record(record *ops.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = append(r.records, record)
}

// Closed implements ops.Recorder.
func (r *recorder) Closed() bool { return false }

// Witnesses implements ops.Witness.
func (r *recorder) Witnesses() {}

func (r *recorder) all() []*ops.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.records)
}

func (r *recorder) forget() {
	for _, record := range r.all() {
		record.Forget()
	}
}
