package profile

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// hostile are names that could break out of what they are written into.
var hostile = []string{
	`</script><script>alert(1)</script>`, `<!--`, `"quoted" \ back`, "new\nline\ttab", "\x00\x1f\x7f", "\u2028\u2029", "broken \xff\xfe UTF-8",
	"", `{{data}}`, "мат×🙂", "'single' & <b>",
}

var errKernel = errors.New("kernel failed: " + hostile[0])

// run is what an engine with some workers makes of random operations: each starts when all that it conflicts with, and
// that has a smaller number, has ended, and a worker is free. Records are in the order of their ends, as they are observed.
func run(seed uint64, operations, workers int) []Record {
	random := rand.New(rand.NewPCG(seed, 1))
	sites := []*fault.Site{nil, fault.Here(0), fault.Here(0)}
	records := make([]Record, 0, operations)
	free := make([]time.Duration, workers)
	pushed := time.Duration(random.IntN(1000))
	for i := range operations {
		pushed += time.Duration(random.IntN(40))
		r := Record{
			Number: uint64(i + 1), Name: "operator " + strconv.Itoa(random.IntN(6)), Device: device.CPU(random.IntN(2)),
			Pushed: pushed, Ready: pushed, Bytes: int64(random.IntN(3)) * 1000, Work: int64(random.IntN(2)) * 5000,
			Site: sites[random.IntN(len(sites))], Accesses: randomAccesses(random),
		}
		for _, earlier := range records {
			if conflict(earlier, r) && earlier.End > r.Ready {
				r.Ready, r.Cause = earlier.End, earlier.Number
			}
		}
		worker := slices.Index(free, slices.Min(free))
		r.Lane = "worker " + strconv.Itoa(worker)
		r.Start = max(r.Ready, free[worker]) + time.Duration(random.IntN(5))
		r.End = r.Start + time.Duration(random.IntN(300))
		switch random.IntN(12) {
		case 0:
			r.Err = errKernel
		case 1:
			r.Err, r.Skipped, r.End = errKernel, true, r.Start
		}
		free[worker] = r.End
		records = append(records, r)
	}
	slices.SortStableFunc(records, func(a, b Record) int { return int(a.End - b.End) })
	return records
}

func randomAccesses(random *rand.Rand) []Access {
	var accesses []Access
	for range random.IntN(4) {
		a := Access{Variable: uint64(random.IntN(4)), Mode: Mode(random.IntN(3))}
		if random.IntN(3) > 0 {
			a.Lo = int64(random.IntN(12))
			a.Hi = a.Lo + 1 + int64(random.IntN(8))
		}
		accesses = append(accesses, a)
	}
	return accesses
}

// conflict is the engine's rule, by the letter.
func conflict(a, b Record) bool {
	for _, x := range a.Accesses {
		for _, y := range b.Accesses {
			if x.Variable != y.Variable || x.Mode == Read && y.Mode == Read {
				continue
			}
			if x.Hi == 0 || y.Hi == 0 || x.Lo < y.Hi && y.Lo < x.Hi {
				return true
			}
		}
	}
	return false
}

// wait is the record of a caller that waits from start to end.
func wait(start, end time.Duration, cause uint64) Record {
	return Record{Name: "wait", Lane: "caller", Pushed: start, Ready: start, Start: start, End: end, Cause: cause}
}

func logOf(records []Record) *Log {
	l := New(0)
	observe(l, records)
	return l
}

func observe(o Observer, records []Record) {
	for _, r := range records {
		o.Observe(&r)
	}
}

func sortedByNumber(records []Record) []Record {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b Record) int { return int(a.Number) - int(b.Number) })
	return sorted
}
