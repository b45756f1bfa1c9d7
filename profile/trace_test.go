package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
)

// event is one of the trace event format.
type event struct {
	Phase     string `json:"ph"`
	Process   int    `json:"pid"`
	Thread    int    `json:"tid"`
	Name      string
	Category  string  `json:"cat"`
	Timestamp float64 `json:"ts"`
	Duration  float64 `json:"dur"`
	ID        int
	Arguments struct {
		Name      string
		Number    uint64
		Cause     uint64
		Site      string
		Device    string
		Error     string
		Skipped   bool
		Bytes     int64
		Work      int64
		Bandwidth float64 `json:"gigabytes_per_second"`
		Waited    float64 `json:"waited_us"`
		Queued    float64 `json:"queued_us"`
	} `json:"args"`
}

func eventsIn(t *testing.T, text []byte) []event {
	t.Helper()
	var events []event
	require.NoError(t, json.Unmarshal(text, &events))
	return events
}

func traceOf(t *testing.T, records []Record) []event {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, logOf(records).WriteTrace(&text))
	return eventsIn(t, text.Bytes())
}

func ofPhase(events []event, phase string) []event {
	return slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.Phase != phase })
}

// nanoseconds undoes the trace's unit.
func nanoseconds(microseconds float64) time.Duration {
	return time.Duration(math.Round(microseconds * 1000))
}

func TestATraceTellsAllOfEveryRecord(t *testing.T) {
	records := run(5, 400, 4)
	for i, name := range hostile {
		records[i].Name, records[i].Lane, records[i].Err = name, "lane "+name, errors.New(name)
	}
	records = append(records, wait(3, 9000, 7))
	events := traceOf(t, records)
	complete := ofPhase(events, "X")
	require.Len(t, complete, len(records))
	lanes := map[int]string{}
	for _, e := range ofPhase(events, "M") {
		if e.Name == "thread_name" {
			lanes[e.Thread] = e.Arguments.Name
		}
	}
	for i, r := range records {
		e := complete[i]
		require.Equal(t, strings.ToValidUTF8(r.Name, "\ufffd\ufffd"), e.Name)
		require.True(t, strings.HasPrefix(lanes[e.Thread], strings.ToValidUTF8(r.Lane, "\ufffd\ufffd")))
		require.Equal(t, r.Start, nanoseconds(e.Timestamp))
		require.Equal(t, max(r.End-r.Start, 1), nanoseconds(e.Duration))
		require.Equal(t, r.Start-r.Ready, nanoseconds(e.Arguments.Waited))
		require.Equal(t, r.Ready-r.Pushed, nanoseconds(e.Arguments.Queued))
		require.Equal(t, r.Number, e.Arguments.Number)
		require.Equal(t, r.Cause, e.Arguments.Cause)
		require.Equal(t, r.Site.String(), e.Arguments.Site)
		require.Equal(t, r.Device.String(), e.Arguments.Device)
		require.Equal(t, r.Bytes, e.Arguments.Bytes)
		require.Equal(t, r.Work, e.Arguments.Work)
		if r.Bytes > 0 && r.End > r.Start {
			require.InDelta(t, float64(r.Bytes)/float64(r.End-r.Start), e.Arguments.Bandwidth, 0.001)
		}
		require.Equal(t, r.Skipped, e.Arguments.Skipped)
		if r.Err != nil {
			require.Equal(t, strings.ToValidUTF8(r.Err.Error(), "\ufffd\ufffd"), e.Arguments.Error)
		}
	}
}

func TestFlowsAreBalancedAndBindToTheirOperations(t *testing.T) {
	for seed := range uint64(10) {
		records := run(seed, 200, 3)
		events := traceOf(t, records)
		byNumber := map[uint64]event{}
		caused := 0
		for _, e := range ofPhase(events, "X") {
			byNumber[e.Arguments.Number] = e
			if e.Arguments.Cause != 0 {
				caused++
			}
		}
		finishes := map[int]event{}
		for _, f := range ofPhase(events, "f") {
			require.NotContains(t, finishes, f.ID)
			finishes[f.ID] = f
		}
		starts := ofPhase(events, "s")
		require.Len(t, starts, caused)
		require.Len(t, finishes, caused)
		for _, s := range starts {
			f := finishes[s.ID]
			bound := false
			for _, to := range byNumber {
				from, found := byNumber[to.Arguments.Cause]
				inside := found && s.Thread == from.Thread && from.Timestamp <= s.Timestamp && s.Timestamp < from.Timestamp+from.Duration
				bound = bound || inside && f.Thread == to.Thread && f.Timestamp == to.Timestamp
			}
			require.True(t, bound, "flow %d of seed %d", s.ID, seed)
		}
	}
}

func TestEventsOfAThreadDoNotOverlap(t *testing.T) {
	records := run(2, 100, 2)
	for i := range 40 {
		start := time.Duration(i * 10)
		records = append(records, Record{Number: uint64(1000 + i), Name: "host", Lane: "host", Start: start, End: start + time.Duration(i%7)*20}, wait(start, start+500, 0))
	}
	slices.SortStableFunc(records, func(a, b Record) int { return int(a.End - b.End) })
	last := map[int][]event{}
	for _, e := range ofPhase(traceOf(t, records), "X") {
		for _, other := range last[e.Thread] {
			require.True(t, nanoseconds(e.Timestamp+e.Duration) <= nanoseconds(other.Timestamp) || nanoseconds(other.Timestamp+other.Duration) <= nanoseconds(e.Timestamp))
		}
		last[e.Thread] = append(last[e.Thread], e)
	}
}

func TestTracksAreNoMoreThanDoneAtOnce(t *testing.T) {
	records := run(4, 300, 5)
	for i := range records {
		records[i].Lane = "host"
	}
	_, names := lay(records)
	most := 0
	for _, r := range records {
		at := 0
		for _, other := range records {
			if other.Start <= r.Start && r.Start < other.End {
				at++
			}
		}
		most = max(most, at)
	}
	require.Len(t, names, most)
}

func TestLanesAreInTheOrderOfReading(t *testing.T) {
	var records []Record
	for _, lane := range []string{"caller", "gpu(0) copy to", "worker 10", "host", "worker 9", "gpu(0) compute", "worker 0"} {
		records = append(records, Record{Lane: lane, Device: device.GPU(0), End: 1})
	}
	_, names := lay(records)
	require.Equal(t, []string{"worker 0", "worker 9", "worker 10", "host", "gpu(0) compute", "gpu(0) copy to", "caller"}, names)
}

// full is a writer that fails.
type full struct{ room int }

func (f *full) Write(data []byte) (int, error) {
	if f.room -= len(data); f.room < 0 {
		return 0, errFull
	}
	return len(data), nil
}

var errFull = errors.New("no space left on device")

func TestFailingWritersAreReported(t *testing.T) {
	l := logOf(run(1, 2000, 2))
	for name, write := range map[string]func(*full) error{
		"trace":    func(f *full) error { return l.WriteTrace(f) },
		"table":    func(f *full) error { return l.WriteTable(f) },
		"timeline": func(f *full) error { return l.WriteTimeline(f) },
	} {
		for _, room := range []int{0, 500} {
			t.Run(fmt.Sprint(name, " after ", room), func(t *testing.T) {
				require.ErrorIs(t, write(&full{room}), errFull)
			})
		}
	}
}
