package profile

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// Row sums up the operations of one name. Times and rates are of those that ran: not of the skipped ones.
type Row struct {
	Name    string
	Count   int // all of them
	Failed  int // ran and failed
	Skipped int // did not run

	Total, Mean, P50, P99, Max time.Duration // from start to end; percentiles by nearest rank
	Waiting                    time.Duration // from ready to start; the mean

	Bytes, Work    int64   // memory read and written, floating-point operations; 0 if unknown
	BytesPerSecond float64 // of those whose bytes are known; 0 if there are none
	WorkPerSecond  float64 // of those whose work is known; 0 if there are none
}

// Summary returns a row for every operator name, that with the longest total first. Callers that wait have a row as well,
// named "wait".
func (l *Log) Summary() []Row {
	rows, _, _ := summarize(l.Records())
	return rows
}

// span is the time from the first start to the last end.
type span struct {
	first, last time.Duration
}

// summarize returns the rows, and a row and the span of all operations, without the waits of callers.
func summarize(records iter.Seq[Record]) (rows []Row, all Row, extent span) {
	byName := make(map[kind]*group)
	var operations group
	for r := range records {
		k := kind{r.Name, r.isWait()}
		g := byName[k]
		if g == nil {
			g = new(group)
			byName[k] = g
		}
		g.add(&r)
		if k.wait {
			continue
		}
		if operations.row.Count == 0 || r.Start < extent.first {
			extent.first = r.Start
		}
		extent.last = max(extent.last, r.End)
		operations.add(&r)
	}
	for k, g := range byName {
		rows = append(rows, g.finish(k.name))
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name), cmp.Compare(b.Count, a.Count))
	})
	return rows, operations.finish("all operations"), extent
}

// kind keeps an operator named "wait" apart from the waits of callers.
type kind struct {
	name string
	wait bool
}

// group gathers the records of one row.
type group struct {
	row               Row
	durations         []time.Duration
	waiting           time.Duration
	moving, computing time.Duration // of those whose bytes, or work, are known
}

func (g *group) add(r *Record) {
	g.row.Count++
	if r.Skipped {
		g.row.Skipped++
		return
	}
	if r.Err != nil {
		g.row.Failed++
	}
	d := r.duration()
	g.durations = append(g.durations, d)
	g.row.Total += d
	g.waiting += r.Start - r.Ready
	if r.Bytes > 0 {
		g.row.Bytes += r.Bytes
		g.moving += d
	}
	if r.Work > 0 {
		g.row.Work += r.Work
		g.computing += d
	}
}

func (g *group) finish(name string) Row {
	g.row.Name = name
	if ran := len(g.durations); ran > 0 {
		slices.Sort(g.durations)
		g.row.Mean = g.row.Total / time.Duration(ran)
		g.row.Waiting = g.waiting / time.Duration(ran)
		g.row.P50 = percentile(g.durations, 50)
		g.row.P99 = percentile(g.durations, 99)
		g.row.Max = g.durations[ran-1]
	}
	g.row.BytesPerSecond = rate(g.row.Bytes, g.moving)
	g.row.WorkPerSecond = rate(g.row.Work, g.computing)
	return g.row
}

// percentile returns the least of the sorted values that percent of them do not exceed.
func percentile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}

func rate(amount int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(amount) / d.Seconds()
}
