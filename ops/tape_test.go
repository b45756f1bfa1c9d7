package ops

import (
	"sync"
)

// tape is the smallest Recorder that gives gradients.
type tape struct {
	mu      sync.Mutex
	nodes   int
	records []*Record
	closed  bool
}

// Reserve implements Recorder.
func (t *tape) Reserve(n int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nodes += n
	return t.nodes - n
}

// Record implements Recorder.
func (t *tape) Record(r *Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records = append(t.records, r)
}

// Closed implements Recorder.
func (t *tape) Closed() bool { return t.closed }

func (t *tape) watch(x *Tensor) *Tensor { return x.Watched(t, t.Reserve(1)) }

// gradient returns the gradients of the sum over all results of results·upstream with respect to sources, nil for those
// that nothing depends on.
func (t *tape) gradient(env *Env, results, upstream, sources []*Tensor) []*Tensor {
	gradients := map[int]*Tensor{}
	add := func(node int, g *Tensor) {
		if before := gradients[node]; before != nil {
			g = Invoke(Add, nil, before, g)[0]
		}
		gradients[node] = g
	}
	for i, y := range results {
		add(y.NodeOf(t), upstream[i])
	}
	for i := len(t.records) - 1; i >= 0; i-- {
		record := t.records[i]
		up, reached := make([]Value, len(record.Outputs)), false
		for j, out := range record.Outputs {
			if g := gradients[out.Node]; g != nil {
				up[j], reached = g, true
			}
		}
		if !reached {
			continue
		}
		wanted := make([]bool, len(record.Inputs))
		for j, in := range record.Inputs {
			wanted[j] = in.Node >= 0
		}
		for j, g := range Differentiate(Eager{Env: env}, record, up, wanted) {
			if g != nil && wanted[j] {
				add(record.Inputs[j].Node, g.(*Tensor))
			}
		}
	}
	found := make([]*Tensor, len(sources))
	for i, source := range sources {
		found[i] = gradients[source.NodeOf(t)]
	}
	return found
}

// forget ends the protection of what t has saved.
func (t *tape) forget() {
	for _, record := range t.records {
		record.Forget()
	}
}
