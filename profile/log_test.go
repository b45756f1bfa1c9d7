package profile

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

func TestALogKeepsTheNewestRecords(t *testing.T) {
	records := run(1, 300, 3)
	for len(records) < 5000 {
		records = append(records, records[:min(300, 5000-len(records))]...)
	}
	for i := range records {
		records[i].Number = uint64(i + 1)
	}
	for _, limit := range []int{1, 10, chunkSize - 1, chunkSize, chunkSize + 1, 3000, 0} {
		for _, count := range []int{0, 1, 9, 10, 11, chunkSize, chunkSize + 1, 2 * chunkSize, 5000} {
			t.Run(fmt.Sprintf("limit %d, %d records", limit, count), func(t *testing.T) {
				l := New(limit)
				observe(l, records[:count])
				kept := count
				if limit > 0 {
					kept = min(limit, count)
				}
				require.Equal(t, uint64(count-kept), l.Dropped())
				got := slices.Collect(l.Records())
				require.Len(t, got, kept)
				for i := range got {
					require.Equal(t, records[count-kept+i], got[i])
				}
			})
		}
	}
}

func TestRecordsAreCopies(t *testing.T) {
	l := New(1)
	accesses := []Access{{Variable: 1, Mode: Update, Lo: 2, Hi: 3}}
	r := Record{Number: 1, Name: "add", Accesses: accesses}
	l.Observe(&r)
	accesses[0].Variable = 99
	kept := slices.Collect(l.Records())
	for range 3 * chunkSize {
		l.Observe(&Record{Number: 2, Name: "other", Accesses: []Access{{Variable: 7}, {Variable: 8}}})
	}
	require.Equal(t, []Record{{Number: 1, Name: "add", Accesses: []Access{{Variable: 1, Mode: Update, Lo: 2, Hi: 3}}}}, kept)
}

func TestAnIterationOfRecordsCanBeLeft(t *testing.T) {
	l := logOf(run(1, 20, 2))
	seen := 0
	for range l.Records() {
		if seen++; seen == 5 {
			break
		}
	}
	require.Equal(t, 5, seen)
}

// Writers number their own records, so that readers can tell whether one is torn, missing or out of order.
func TestALogIsReadWhileItIsWritten(t *testing.T) {
	const writers, each, limit = 4, 6000, 2500
	l := New(limit)
	var writing, reading sync.WaitGroup
	stop := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			for i := range uint64(each) {
				n := i + 1
				l.Observe(&Record{Number: n, Lane: fmt.Sprint(w), Bytes: int64(n), Accesses: []Access{{Variable: n}, {Variable: n, Lo: int64(n)}}})
			}
		})
	}
	check := func() {
		var last [writers]uint64
		seen := 0
		for r := range l.Records() {
			seen++
			writer := int(r.Lane[0] - '0')
			require.Greater(t, r.Number, last[writer])
			last[writer] = r.Number
			require.Equal(t, int64(r.Number), r.Bytes)
			require.Equal(t, []Access{{Variable: r.Number}, {Variable: r.Number, Lo: int64(r.Number)}}, r.Accesses)
		}
		require.LessOrEqual(t, seen, limit)
	}
	reading.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				check()
				l.Summary()
			}
		}
	})
	writing.Wait()
	close(stop)
	reading.Wait()
	check()
	require.Equal(t, uint64(writers*each-limit), l.Dropped())
}

func TestALogAllocatesNothingOnceItsChunksExist(t *testing.T) {
	l := New(2 * chunkSize)
	r := sample()
	for range 4 * chunkSize {
		l.Observe(r)
	}
	require.Zero(t, testing.AllocsPerRun(3*chunkSize, func() { l.Observe(r) }))
}

func TestNowIsMonotonic(t *testing.T) {
	last := Now()
	require.Positive(t, last)
	for range 1000 {
		now := Now()
		require.GreaterOrEqual(t, now, last)
		last = now
	}
	require.Less(t, last, time.Hour)
}

func sample() *Record {
	return &Record{
		Number: 7, Name: "matmul", Device: device.GPU(0), Lane: "worker 3", Pushed: 1, Ready: 2, Start: 3, End: 4, Bytes: 5, Work: 6,
		Site: fault.Here(0), Cause: 6, Accesses: []Access{{Variable: 1}, {Variable: 2}, {Variable: 3, Mode: Write}, {Variable: 4, Mode: Update}},
	}
}

func BenchmarkObserve(b *testing.B) {
	for _, limit := range []int{1 << 14, DefaultLimit} {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			l := New(limit)
			r := sample()
			names, lanes := []string{"add", "matmul", "relu", "sum", "copy"}, []string{"worker 0", "worker 1", "gpu(0) compute"}
			b.ReportAllocs()
			for i := range b.N {
				r.Number, r.Name, r.Lane = uint64(i), names[i%len(names)], lanes[i%len(lanes)]
				l.Observe(r)
			}
		})
	}
}
