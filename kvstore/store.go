package kvstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Updater returns the new value of a key, from the sum of what was pushed and the value so far: an array of the same
// shape, dtype and device, which is new, or one of the two or a view of it, of which the store makes a copy. It runs in
// the goroutine of Push, for different keys at the same time, and calls methods of arrays, which return at once; if it
// waits for values, so does Push. It must write to neither array, keep neither, and not use the store.
type Updater func(key string, pushed, stored *nd.Array) *nd.Array

// Option changes how a Store is made.
type Option func(s *Store)

// WithUpdater makes Push write what u returns. Without it the sum replaces the value.
func WithUpdater(u Updater) Option { return func(s *Store) { s.updater = u } }

// Store keeps a value for each key, and exchanges it with several devices. A store is outside of tapes, cancel scopes and memory
// scopes of the arrays that it is given: its operators run in its own Env.
type Store struct {
	places  []*nd.Env // of the devices
	homes   []*nd.Env // where values may be kept
	updater Updater

	mu      sync.RWMutex // guards the fields below
	entries map[string]*entry
	bytes   []int // of the values kept at each home
	closed  bool
}

// NewLocal returns a store for the given devices, whose values are kept and added on cpu(0): MXNet's "local". Its operators run in env
// but for the device. A device may be given several times. It panics with *nd.Error if there is none, this machine has not got
// one, or env or an option is nil.
func NewLocal(env *nd.Env, devices []device.Device, options ...Option) *Store {
	s := newStore("NewLocal", env, devices, options)
	s.homes = []*nd.Env{env.WithDevice(device.CPU(0))}
	s.bytes = make([]int, 1)
	return s
}

// NewDevice is NewLocal with values that are kept and added on the devices, MXNet's "device": each key on the device that has the
// fewest bytes so far, the first of several.
func NewDevice(env *nd.Env, devices []device.Device, options ...Option) *Store {
	s := newStore("NewDevice", env, devices, options)
	s.homes = s.places
	s.bytes = make([]int, len(s.homes))
	return s
}

func newStore(operator string, env *nd.Env, devices []device.Device, options []Option) *Store {
	if env == nil {
		mistake(operator, fault.ErrMisuse, "the Env is nil")
	}
	if len(devices) == 0 {
		mistake(operator, fault.ErrParameter, "there are no devices")
	}
	s := &Store{entries: map[string]*entry{}}
	for _, d := range devices {
		s.places = append(s.places, env.WithDevice(d))
	}
	for i, option := range options {
		if option == nil {
			mistake(operator, fault.ErrMisuse, fmt.Sprintf("option %d is nil", i))
		}
		option(s)
	}
	return s
}

// Devices returns the devices, in the order in which arrays are given.
func (s *Store) Devices() []device.Device {
	var devices []device.Device
	for _, place := range s.places {
		devices = append(devices, place.Device())
	}
	return devices
}

// entry is the value of one key.
type entry struct {
	key   string
	place int // its home among those of the store
	home  *nd.Env

	mu     sync.Mutex // makes the operators of a call follow one another
	stored *nd.Array  // what updaters go on from
	latest *nd.Array  // what the last call of the updater gave, which may be in error; nil if that is stored
}

// bytes returns the size of the value.
func (e *entry) bytes() int { return e.stored.Count() * e.stored.DType().Size() }

// value returns what Pull copies. The caller has locked e.
func (e *entry) value() *nd.Array {
	if e.latest != nil {
		return e.latest
	}
	return e.stored
}

// Init adds a key, and copies its first value, which may be on any device. It panics with *nd.Error, and changes nothing, if the store
// has the key already, or value is nil or was released.
func (s *Store) Init(key string, value *nd.Array) { s.add("Init", []string{key}, []*nd.Array{value}) }

// add adds keys and copies of their first values, all or none.
func (s *Store) add(operator string, keys []string, values []*nd.Array) []*entry {
	s.checkMade(operator)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checkOpen(operator)
	added, bytes := make([]*entry, len(keys)), slices.Clone(s.bytes)
	for i, key := range keys {
		value := values[i]
		checkArray(operator, key, value)
		if s.entries[key] != nil {
			mistake(operator, fault.ErrMisuse, fmt.Sprintf("the store has the key %q already", key), value)
		}
		least := slices.Index(bytes, slices.Min(bytes))
		e := &entry{key: key, place: least, home: s.homes[least]}
		e.stored = value.Detach().In(e.home).Copy()
		bytes[least] += e.bytes()
		added[i] = e
	}
	for _, e := range added {
		s.entries[e.key] = e
	}
	s.bytes = bytes
	return added
}

// remove takes back what add did.
func (s *Store) remove(added []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range added {
		delete(s.entries, e.key)
		s.bytes[e.place] -= e.bytes()
	}
}

// Set copies a new value of key, from any device; no updater is asked. It panics with *nd.Error if the key is unknown, or shape or dtype
// are not those of Init.
func (s *Store) Set(key string, value *nd.Array) {
	e := s.entry("Set", key)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.check("Set", "the value", value, engine.Read)
	nd.CopyInto(e.stored, value.Detach().In(e.home))
	e.latest = nil
}

// Value returns a copy of the value of key, as the calls so far leave it, on the device where it is kept; an error of the key is one of
// the copy. It panics with *nd.Error if the key is unknown.
func (s *Store) Value(key string) *nd.Array {
	e := s.entry("Value", key)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.value().Copy()
}

// entry returns that of key.
func (s *Store) entry(operator, key string) *entry {
	s.checkMade(operator)
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.checkOpen(operator)
	e := s.entries[key]
	if e == nil {
		mistake(operator, fault.ErrMisuse, fmt.Sprintf("the store has no key %q", key))
	}
	return e
}

// Close waits for what was written, and returns the errors that stick to keys, joined, or the cause of ctx if that ends first. Other calls
// panic with *nd.Error from now on, the cause being fault.ErrClosed. Closing again is harmless, and returns the same.
func (s *Store) Close(ctx context.Context) error {
	if ctx == nil {
		mistake("Close", fault.ErrMisuse, "the context is nil")
	}
	s.checkMade("Close")
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	var problems []error
	for _, e := range s.sorted() {
		e.mu.Lock()
		value := e.value()
		e.mu.Unlock()
		if err := value.Wait(ctx); ctx.Err() != nil {
			return context.Cause(ctx)
		} else if err != nil {
			problems = append(problems, fmt.Errorf("key %q: %w", e.key, err))
		}
	}
	return errors.Join(problems...)
}
