package kvstore

import (
	"slices"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Push adds up values, one from each device in the order of the store's devices, and writes the sum, or what the updater makes of it, when
// the operators that compute them are done; it returns at once. Of operators that are ready those of higher priority run first. The
// arrays may be written afterwards. It panics with *nd.Error, and changes nothing, if the key is unknown, there is not one array
// for each device and on it, a shape or dtype is not that of Init, or an array was released.
func (s *Store) Push(key string, values []*nd.Array, priority int) {
	e := s.entry("Push", key)
	e.mu.Lock()
	defer e.mu.Unlock()
	s.checkEach("Push", e, values, engine.Read)
	s.push(e, values, priority)
}

// Pull copies the value of key, as the calls so far leave it, to destinations, one on each device; it returns at once. Destinations get
// the error that sticks to the key, if there is one. It panics with *nd.Error, and writes to none of them, as Push does, and if a tape
// watches a destination or has saved its memory, or it is a broadcast view.
func (s *Store) Pull(key string, destinations []*nd.Array, priority int) {
	e := s.entry("Pull", key)
	e.mu.Lock()
	defer e.mu.Unlock()
	s.checkEach("Pull", e, destinations, engine.Write)
	s.broadcast(e.value(), destinations, priority)
}

// PushPull is Push followed by Pull, with no other call between them. A destination may be one of the values: without an updater that
// replaces the array of each device by the sum of all. It panics with *nd.Error, and changes nothing, as both do.
func (s *Store) PushPull(key string, values, destinations []*nd.Array, priority int) {
	e := s.entry("PushPull", key)
	e.mu.Lock()
	defer e.mu.Unlock()
	s.checkEach("PushPull", e, values, engine.Read)
	s.checkEach("PushPull", e, destinations, engine.Write)
	s.push(e, values, priority)
	s.broadcast(e.value(), destinations, priority)
}

// push writes the sum of values, or what the updater makes of it. The caller has locked e.
func (s *Store) push(e *entry, values []*nd.Array, priority int) {
	env := e.home.WithPriority(priority)
	stored := e.stored.In(env)
	if s.updater == nil {
		sumInto(stored, env, values)
		e.latest = nil
		return
	}
	sum := sum(env, values)
	next := s.updater(e.key, sum, stored)
	e.check("Push", "the result of the updater", next, engine.Read)
	if next.Device() != env.Device() {
		mistake("Push", fault.ErrDevice, "the result of the updater is on "+next.Device().String()+", want "+env.Device().String(), next)
	}
	switch next = next.Detach().In(env); {
	case equalViews(next, stored):
		e.latest = nil
		return
	case share(next, stored), share(next, sum): // the sum of one array is that array
		next = next.Copy()
	}
	nd.Invoke(replace, nil, stored, next)
	e.latest = next
}

// broadcast copies value to the destinations.
func (s *Store) broadcast(value *nd.Array, destinations []*nd.Array, priority int) {
	for i, dst := range destinations {
		env := s.places[i].WithPriority(priority)
		nd.CopyInto(dst.In(env), value.In(env))
	}
}

// sum returns the sum of values in env, in their order. That of one array is a handle on it.
func sum(env *nd.Env, values []*nd.Array) *nd.Array {
	total := values[0].Detach().In(env)
	for i, v := range values[1:] {
		v = v.Detach().In(env)
		if i == 0 {
			total = total.Add(v)
		} else {
			nd.AddInto(total, total, v)
		}
	}
	return total
}

// sumInto writes what sum returns to dst. The first operator does not read dst, and so cures it of errors.
func sumInto(dst *nd.Array, env *nd.Env, values []*nd.Array) {
	first := values[0].Detach().In(env)
	if len(values) == 1 {
		nd.CopyInto(dst, first)
		return
	}
	nd.AddInto(dst, first, values[1].Detach().In(env))
	for _, v := range values[2:] {
		nd.AddInto(dst, dst, v.Detach().In(env))
	}
}

// share reports whether a and b are in the same memory.
func share(a, b *nd.Array) bool {
	return (*ops.Tensor)(a).SharesMemory((*ops.Tensor)(b))
}

// equalViews reports whether a and b, of the same shape and dtype, see the same elements in the same order.
func equalViews(a, b *nd.Array) bool {
	v, w := (*ops.Tensor)(a).View(), (*ops.Tensor)(b).View()
	return share(a, b) && v.Offset == w.Offset && slices.Equal(v.Strides, w.Strides)
}

// replace copies a value to a target, unless the value is in error: then the target stays as it was. It is a call of the kernels of copy.
var replace = &ops.Operator{
	Name: ops.Copy.Name, Doc: "the target, unless the value is in error", Inputs: []string{"target", "value"},
	Mutates: func(_ *ops.Call, i int) bool { return i == 0 }, KeepOnSkip: true,
	Infer: func(*ops.Call) {},
}
