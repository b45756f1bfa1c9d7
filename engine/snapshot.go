package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/profile"
)

// State is how far a pending operation has come.
type State uint8

// The states, in the order in which an operation passes through some of them.
const (
	Gathered State = iota // in a bulk that can still grow
	Waiting               // for the operations in Pending.After
	Held                  // ready, but Stop lets nothing start
	Ready                 // in the queue that Pending.Place names
	Parked                // ready, but there is no memory, or others stand before it for that; Pending.Place names the device
	Running               // or next in turn, where Pending.Place names: a worker, a stream, a goroutine; or not completed yet
	Issued                // on the stream that Pending.Place names, and not known to be done
)

// String returns the state in lower case, such as "waiting".
func (s State) String() string {
	return [...]string{"gathered", "waiting", "held", "ready", "parked", "running", "issued"}[s]
}

// Snapshot is what an engine has to do at one moment. It is a copy: it does not change, and may be read from any goroutine.
type Snapshot struct {
	Engine    string      // its kind, such as "perdevice"
	Stats     Stats       // Pushed less Done is the sum of Pending's Operations
	Stopped   bool        // nothing starts until Start
	Closed    bool        // what is pushed is refused
	Blocked   int         // goroutines in WaitAll, Stop and Close
	Throttled []Throttled // goroutines in Push that wait until less is pending
	Variables []Variable  // that Pending touches, in order of number
	Pending   []Pending   // in order of number
}

// Throttled is a goroutine that has pushed more than the engine's limits allow. It goes on when the workers run nothing, or
// when so much more is done.
type Throttled struct {
	Operations uint64 // that have to end; 0 if there are not too many
	Bytes      int64  // that ending operations have to give back; 0 if they do not take too much
}

// Variable is a variable that pending operations touch.
type Variable struct {
	Number   uint64 // by which observers know it too
	Sequence uint64 // writes pushed
	Version  uint64 // writes done
	Err      error  // that sticks to it, or to a part of it, now; nil if none does
}

// Pending is an operation that is not done, or several of one bulk, or a goroutine in Wait, which has a place among them.
type Pending struct {
	Number     uint64 // order of registration; of the first one in a bulk
	Name       string // "bulk of 3", "wait"
	Wait       bool   // it is a goroutine in Wait, which may have given up
	Operations int    // how many are not known to be done; 0 of a goroutine in Wait
	Members    []Member
	Device     device.Device
	Site       *fault.Site // the user's line; nil if unknown
	State      State
	Place      string           // of Ready, Parked, Running and Issued: such as "cpu(0) kernels", "worker 1", "host", "caller", "sim(0) compute"
	Parked     time.Duration    // for how long it has had no memory; 0 if it needs none
	Err        error            // of Parked: what its function has returned; nil if it only stands behind others
	Accesses   []profile.Access // one for each variable
	// After are the operations that have to be done before: what a waiting one waits for and, of one on a stream, those whose
	// events the device waits for. Operations that these are after themselves are left out, and beyond 32 for one variable.
	After []Holder
	More  bool // there are more than After has room for
}

// Member is one operation of a bulk.
type Member struct {
	Number uint64
	Name   string
	Site   *fault.Site
}

// Holder is an operation that another one comes after, because of a variable that both touch.
type Holder struct {
	Number   uint64
	Name     string
	Variable uint64
}

// find returns the index of the operation with the given number in s.Pending, -1 if it is not there.
func (s *Snapshot) find(number uint64) int {
	at, found := slices.BinarySearchFunc(s.Pending, number, func(p Pending, number uint64) int { return cmp.Compare(p.Number, number) })
	if !found {
		return -1
	}
	return at
}

// CriticalPath returns the longest chain of pending operations of which each comes after the one before, first to last; of
// several such chains, one that ends in the newest operation. It is empty if nothing is pending.
func (s Snapshot) CriticalPath() []Pending {
	steps := make([]step, len(s.Pending))
	last := -1
	for i := range s.Pending {
		s.measure(i, steps)
		if last < 0 || steps[i].length >= steps[last].length {
			last = i
		}
	}
	var path []Pending
	for ; last >= 0; last = steps[last].before {
		path = append(path, s.Pending[last])
	}
	slices.Reverse(path)
	return path
}

// step is the longest chain that ends in one operation: its length, 0 if it is not known yet, and the index of the operation
// before, -1 for the first.
type step struct{ length, before int }

// measure finds the steps of the operation with the given index, and of those that it comes after.
func (s *Snapshot) measure(index int, steps []step) {
	if steps[index].length > 0 {
		return
	}
	longest := step{1, -1}
	for _, holder := range s.Pending[index].After {
		before := s.find(holder.Number)
		s.measure(before, steps)
		if steps[before].length >= longest.length {
			longest = step{steps[before].length + 1, before}
		}
	}
	steps[index] = longest
}
