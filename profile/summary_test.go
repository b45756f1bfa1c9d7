package profile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// nearestRank looks for the least value that at least percent of all values do not exceed.
func nearestRank(values []time.Duration, percent int) time.Duration {
	least := time.Duration(-1)
	for _, candidate := range values {
		below := 0
		for _, v := range values {
			if v <= candidate {
				below++
			}
		}
		if below*100 >= percent*len(values) && (least < 0 || candidate < least) {
			least = candidate
		}
	}
	return least
}

func TestSummaryMatchesACountByHand(t *testing.T) {
	for seed := range uint64(10) {
		records := run(seed, int(seed)*37+1, 3)
		records = append(records, wait(0, 100, 1), wait(50, 70, 0))
		rows := logOf(records).Summary()
		names := map[string]bool{}
		total := time.Duration(-1)
		for _, row := range rows {
			require.False(t, names[row.Name])
			names[row.Name] = true
			require.True(t, total < 0 || row.Total <= total, "rows are sorted by total")
			total = row.Total
			want := Row{Name: row.Name}
			var durations []time.Duration
			var waiting, moving, computing time.Duration
			for _, r := range records {
				if r.Name != row.Name {
					continue
				}
				want.Count++
				if r.Skipped {
					want.Skipped++
					continue
				}
				if r.Err != nil {
					want.Failed++
				}
				durations = append(durations, r.End-r.Start)
				want.Total += r.End - r.Start
				waiting += r.Start - r.Ready
				want.Bytes += r.Bytes
				want.Work += r.Work
				if r.Bytes > 0 {
					moving += r.End - r.Start
				}
				if r.Work > 0 {
					computing += r.End - r.Start
				}
			}
			if len(durations) > 0 {
				want.P50, want.P99, want.Max = nearestRank(durations, 50), nearestRank(durations, 99), nearestRank(durations, 100)
				want.Mean, want.Waiting = want.Total/time.Duration(len(durations)), waiting/time.Duration(len(durations))
			}
			if moving > 0 {
				want.BytesPerSecond = float64(want.Bytes) / moving.Seconds()
			}
			if computing > 0 {
				want.WorkPerSecond = float64(want.Work) / computing.Seconds()
			}
			require.Equal(t, want, row)
		}
		for _, r := range records {
			require.True(t, names[r.Name])
		}
	}
}

func TestPercentilesAreThoseOfASlowSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 250; n += 7 {
		var g group
		var values []time.Duration
		for range n {
			d := time.Duration(random.IntN(50))
			values = append(values, d)
			g.add(&Record{End: d})
		}
		row := g.finish("")
		require.Equal(t, nearestRank(values, 50), row.P50)
		require.Equal(t, nearestRank(values, 99), row.P99)
	}
}

func TestAnOperatorNamedWaitIsNoWait(t *testing.T) {
	rows := logOf([]Record{{Number: 1, Name: "wait", Lane: "worker 0", End: 5}, wait(0, 7, 0)}).Summary()
	require.Len(t, rows, 2)
}

func TestTableIsAligned(t *testing.T) {
	records := run(3, 200, 2)
	for i, name := range hostile {
		records = append(records, Record{Number: uint64(1000 + i), Name: strings.Repeat(name, 1+3*i), End: time.Duration(1) << (4 * i)})
	}
	l := New(150)
	observe(l, records)
	var text bytes.Buffer
	require.NoError(t, l.WriteTable(&text))
	table, facts, found := strings.Cut(text.String(), "\n\n")
	require.True(t, found)
	require.Regexp(t, `^150 operations in .* s; 61 older records are no longer kept\n$`, facts)
	lines := strings.Split(table, "\n")
	require.Len(t, lines, len(l.Summary())+4, "a heading, two rules, and all operations")
	for _, line := range lines {
		require.True(t, utf8.ValidString(line))
		require.Equal(t, utf8.RuneCountInString(lines[0]), utf8.RuneCountInString(line), "%q", line)
	}
	require.True(t, strings.HasPrefix(lines[len(lines)-1], "all operations"))
}

func TestUnitsShowThreeDigits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 1: "1 ns", 999: "999 ns", 1000: "1.00 µs", 9994: "9.99 µs", 9996: "10.0 µs", 99960: "100 µs", 999_499: "999 µs", 999_500: "1.00 ms",
		1234567: "1.23 ms", 12 * time.Second: "12.0 s", 2 * time.Hour: "7200 s", -1500: "-1.50 µs",
	} {
		require.Equal(t, want, formatDuration(d))
	}
	require.Equal(t, []string{"0 B", "1.50 kB", "2.00 GB"}, []string{formatBytes(0), formatBytes(1500), formatBytes(2e9)})
	require.Equal(t, "- <0.01 0.01 0.25 12.5 1000", fmt.Sprint(formatRate(0), " ", formatRate(4.9e6), " ", formatRate(5e6), " ", formatRate(250e6), " ", formatRate(12.5e9), " ", formatRate(1e12)))
}
