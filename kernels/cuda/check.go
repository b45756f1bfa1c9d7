package cuda

import (
	"fmt"
	"strconv"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// What kernels do with indices out of range; see gather.cu.
const (
	modeExact   = 3
	modeNowhere = 4
)

// finding is what kernels that look at data write: the number, plus one, of the first element that is wrong, or 0, and some bits.
type finding struct{ number, bits uint64 }

const findingBytes = int(unsafe.Sizeof(finding{}))

// check is one finding on its way to the host, where it is once the next event of the stream is complete.
type check struct {
	place device.Pointer        // page-locked
	fault func(f finding) error // of what was found
}

// dataError tells of wrong data.
type dataError struct {
	text  string
	cause error
}

func (e *dataError) Error() string { return e.text }

// Unwrap returns the cause, an error of package fault.
func (e *dataError) Unwrap() error { return e.cause }

// problem returns the error of what was found; nil if nothing was.
func (c *check) problem() error {
	f := (*finding)(c.place.Host)
	if f.number == 0 {
		return nil
	}
	return c.fault(*f)
}

// findings keeps page-locked memory for findings that is not in use.
type findings struct {
	sync.Mutex
	unused []device.Pointer
}

func (f *findings) take(b *Backend) (device.Pointer, error) {
	f.Lock()
	defer f.Unlock()
	if last := len(f.unused) - 1; last >= 0 {
		p := f.unused[last]
		f.unused = f.unused[:last]
		return p, nil
	}
	return b.AllocatePinned(findingBytes)
}

func (f *findings) give(p device.Pointer) {
	f.Lock()
	defer f.Unlock()
	f.unused = append(f.unused, p)
}

// check enqueues a look at indices of an axis with so many elements: the next event of the stream has the error, with what text makes of
// the first index that is out of range. Kernels that follow must not use it.
func (l *launcher) check(indices device.View, mode int64, length int, text func(index string) string) error {
	if indices.Count() == 0 {
		return nil
	}
	of := device.Arguments{Inputs: []device.View{indices}, Integers: []int64{int64(len(indices.Shape)), mode, int64(length)}}
	return l.look("check", indices.DType.String(), of, func(f finding) error {
		index := strconv.FormatUint(f.bits, 10)
		if indices.DType.Kind() == dtype.KindSigned {
			index = strconv.FormatInt(int64(f.bits), 10)
		}
		return &dataError{text(index), fault.ErrIndex}
	})
}

// look enqueues a kernel whose result is a finding: the next event of the stream has the error that problem makes of it.
func (l *launcher) look(operator, types string, a device.Arguments, problem func(f finding) error) error {
	if l.stream.capturing {
		return errIndices
	}
	s := l.stream
	if s.finding.IsNil() {
		p, err := s.unit.allocate(findingBytes)
		if err != nil {
			return err
		}
		s.finding = p
	}
	a.Outputs = []device.View{{Pointer: s.finding, DType: dtype.Complex128}}
	if err := l.launch(operator, types, &a); err != nil {
		return err
	}
	place, err := s.unit.findings.take(l.backend)
	if err != nil {
		return err
	}
	if err := l.context.CopyOut(place.Host, driver.Address(s.finding.Address), findingBytes, s.handle); err != nil {
		return err
	}
	s.checks = append(s.checks, check{place, problem})
	return nil
}

// conclude returns the first error that checks have found, and gives their memory back.
func (u *unit) conclude(checks []check) (problem error) {
	for i := range checks {
		if err := checks[i].problem(); problem == nil {
			problem = err
		}
		u.findings.give(checks[i].place)
	}
	return problem
}

func outOfRange(axis, length int) func(string) string {
	return func(index string) string {
		return fmt.Sprintf("index %s is out of range for axis %d with %d elements", index, axis, length)
	}
}
