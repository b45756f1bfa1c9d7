package device

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-nd/weft/fault"
)

// Kind is a kind of place.
type Kind uint8

// The kinds. Memory of the first three is addressed by the host directly.
const (
	KindCPU       Kind = iota // ordinary memory, Go kernels
	KindCPUPinned             // page-locked host memory
	KindCPUShared             // host memory shared between processes
	KindGPU                   // a graphics processor
	KindSim                   // a device simulated in host memory
	kindCount
)

// KindCount is one more than the largest Kind, for tables indexed by Kind.
const KindCount = int(kindCount)

var kindNames = [kindCount]string{"cpu", "cpu_pinned", "cpu_shared", "gpu", "sim"}

// String returns the name, such as "cpu"; of what is none of the kinds it is "kind 9".
func (k Kind) String() string {
	if k >= kindCount {
		return "kind " + strconv.Itoa(int(k))
	}
	return kindNames[k]
}

// Device is one place: a kind and a number. The zero value is cpu(0).
type Device struct {
	Kind  Kind
	Index int
}

// CPU returns cpu(i).
func CPU(i int) Device { return Device{KindCPU, i} }

// CPUPinned returns cpu_pinned(i).
func CPUPinned(i int) Device { return Device{KindCPUPinned, i} }

// CPUShared returns cpu_shared(i).
func CPUShared(i int) Device { return Device{KindCPUShared, i} }

// GPU returns gpu(i).
func GPU(i int) Device { return Device{KindGPU, i} }

// Sim returns sim(i).
func Sim(i int) Device { return Device{KindSim, i} }

// String returns the name, such as "gpu(1)".
func (d Device) String() string { return d.Kind.String() + "(" + strconv.Itoa(d.Index) + ")" }

// OnHost reports whether the host addresses the memory of d directly, so that Go kernels run on it.
func (d Device) OnHost() bool { return d.Kind <= KindCPUShared }

// Parse reads a name as String writes it; a bare kind means number 0. An unknown name gives a *fault.Error that lists the
// known kinds. That a device has a name does not mean that this machine has it: see Check.
func Parse(name string) (Device, error) {
	unknown := func(why string) (Device, error) {
		return Device{}, &fault.Error{
			Operator: "device.Parse", Detail: fmt.Sprintf("unknown device %q: %s", name, why), Cause: fault.ErrDevice, Site: fault.Here(2),
		}
	}
	kind, rest, numbered := strings.Cut(strings.TrimSpace(name), "(")
	index := 0
	if numbered {
		digits, found := strings.CutSuffix(rest, ")")
		n, err := strconv.Atoi(digits)
		if !found || err != nil || n < 0 {
			return unknown("want a kind and a number, such as cpu(0)")
		}
		index = n
	}
	for k, known := range kindNames {
		if kind == known {
			return Device{Kind(k), index}, nil
		}
	}
	return unknown("known kinds are " + strings.Join(kindNames[:], ", "))
}
