package storage

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// poolVariable names the kind of memory managers that devices have: bestfit, multiple, power2, naive, or guarded, which
// stops the use of freed memory and of what is behind the end; bestfit if it is not set, which on devices whose memory
// cannot be divided is one of classes of sizes.
const poolVariable = "WEFT_POOL"

// makers are the kinds of managers, by the names that WEFT_POOL knows.
var makers = map[string]func(device.Device) (Manager, error){
	"bestfit": NewPooled, "multiple": NewRoundMultiple, "power2": NewRoundPower2, "naive": NewNaive, "guarded": newGuardedOrNaive,
}

// newGuardedOrNaive returns the manager of NewGuarded for kind cpu. Other memory cannot be protected, but is not kept for reuse.
func newGuardedOrNaive(d device.Device) (Manager, error) {
	if d.Kind == device.KindCPU {
		return NewGuarded(d)
	}
	return NewNaive(d)
}

// NewPooled returns the manager that devices have if nothing else is chosen: that of NewBestFit where memory can be divided,
// and elsewhere one that keeps what is freed for the next allocation of up to its size and at least half of it.
func NewPooled(d device.Device) (Manager, error) {
	if d.Kind == device.KindCPUShared {
		return nil, fmt.Errorf("%w: the memory of %v is not kept for reuse: other processes may use it", fault.ErrDevice, d)
	}
	from, err := sourceOf(d)
	if err != nil {
		return nil, err
	}
	if divisible, ok := from.(discarding); ok {
		return newBestFit(d, divisible), nil
	}
	return newRounded(d, from, roundToClass, 2), nil
}

// managers has a ledger for each manager of a device.
var managers = struct {
	sync.Mutex
	chosen map[device.Device]*ledger
	made   map[unchosen]*ledger
	all    map[Manager]*ledger
}{chosen: map[device.Device]*ledger{}, made: map[unchosen]*ledger{}, all: map[Manager]*ledger{}}

// unchosen stands for the default manager of a device.
type unchosen struct {
	device  device.Device
	guarded bool
}

// ManagerOf returns the manager of the memory of d: one for all devices of kind cpu, whose memory is the same, and for any other
// device one of its own. Unless SetManager chose another it is of the kind that WEFT_POOL names, that of NewShared for
// cpu_shared, or that of NewGuarded for cpu where engine.Sanitizing reports true. An error tells that d does not exist on this
// machine.
func ManagerOf(d device.Device) (Manager, error) {
	l, err := ledgerOf(d)
	if err != nil {
		return nil, err
	}
	return l.manager, nil
}

// quick are the ledgers of devices with small numbers, to be found without a lock. Those of guarded managers are not among them.
var quick [device.KindCount][8]atomic.Pointer[ledger]

// quickly returns the place in quick of the ledger of d; nil for a device with a large number.
func quickly(d device.Device) *atomic.Pointer[ledger] {
	if uint(d.Index) < uint(len(quick[0])) {
		return &quick[d.Kind][d.Index]
	}
	return nil
}

func ledgerOf(d device.Device) (*ledger, error) {
	guarded := d.Kind == device.KindCPU && engine.Sanitizing()
	place := quickly(d)
	if place != nil && !guarded {
		if l := place.Load(); l != nil {
			return l, nil
		}
	}
	managers.Lock()
	defer managers.Unlock()
	l, err := findLedger(d, guarded)
	if place != nil && !guarded && err == nil {
		place.Store(l)
	}
	return l, err
}

// findLedger returns the ledger of d, made now if there is none. The caller holds the lock of managers.
func findLedger(d device.Device, guarded bool) (*ledger, error) {
	if l := managers.chosen[d]; l != nil {
		return l, nil
	}
	key := unchosen{device: d}
	if d.Kind == device.KindCPU {
		key.device.Index = 0
		key.guarded = guarded
	}
	if l := managers.made[key]; l != nil {
		return l, nil
	}
	m, err := key.make()
	if err != nil {
		return nil, err
	}
	l := ledgerWith(m)
	l.serve(d)
	managers.made[key] = l
	return l, nil
}

// ledgerWith returns the ledger of m. The caller holds the lock of managers.
func ledgerWith(m Manager) *ledger {
	if managers.all[m] == nil {
		managers.all[m] = &ledger{manager: m}
	}
	return managers.all[m]
}

func (u unchosen) make() (Manager, error) {
	name := os.Getenv(poolVariable)
	maker := makers[name]
	switch {
	case u.guarded:
		return NewGuarded(u.device)
	case u.device.Kind == device.KindCPUShared:
		return NewShared(u.device)
	case name == "":
		return NewPooled(u.device)
	case maker == nil:
		return nil, fault.Variable(poolVariable, name, strings.Join(slices.Sorted(maps.Keys(makers)), ", "))
	}
	return maker(u.device)
}

// SetManager makes m the manager of d. Memory handed out by an earlier manager goes back to that one. It panics with *fault.Error
// if m is nil.
func SetManager(d device.Device, m Manager) {
	if m == nil {
		panic(&fault.Error{Operator: "SetManager", Detail: "the manager is nil", Cause: fault.ErrMisuse, Device: d.String(), Site: fault.Here(1)})
	}
	managers.Lock()
	defer managers.Unlock()
	managers.chosen[d] = ledgerWith(m)
	managers.chosen[d].serve(d)
	if place := quickly(d); place != nil {
		place.Store(managers.chosen[d])
	}
}

// ledgers returns those of all managers that were ever in use.
func ledgers() []*ledger {
	managers.Lock()
	defer managers.Unlock()
	return append(slices.Collect(maps.Values(managers.all)), guardedHeap, received)
}

// deviceLedgers returns those of the devices that have been used.
func deviceLedgers() map[device.Device]*ledger {
	managers.Lock()
	defer managers.Unlock()
	all := map[device.Device]*ledger{}
	for key, l := range managers.made {
		all[key.device] = l
	}
	maps.Copy(all, managers.chosen)
	return all
}

// ReleaseAll gives the memory that the managers of all devices keep for reuse back to the system.
func ReleaseAll() {
	for _, l := range deviceLedgers() {
		l.manager.Trim()
	}
}
