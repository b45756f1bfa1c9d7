package profile

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteTable writes the Summary as text: a line for every operator, that with the longest total first, then one for all
// operations together, without the waits of callers. Rates are in 10⁹ bytes and 10⁹ floating-point operations per second.
func (l *Log) WriteTable(w io.Writer) error {
	rows, all, extent := summarize(l.Records())
	table := [][]string{{
		"operator", "count", "failed", "skipped", "total", "mean", "p50", "p99", "max", "waiting", "bytes", "GB/s", "GFLOP/s",
	}}
	for _, row := range rows {
		table = append(table, cells(row))
	}
	table = append(table, cells(all))
	out := bufio.NewWriter(w)
	writeColumns(out, table)
	fmt.Fprintf(out, "\n%d operations in %s", all.Count, formatDuration(extent.last-extent.first))
	if dropped := l.Dropped(); dropped > 0 {
		fmt.Fprintf(out, "; %d older records are no longer kept", dropped)
	}
	out.WriteString("\n")
	return out.Flush()
}

func cells(row Row) []string {
	bytes := "-"
	if row.Bytes > 0 {
		bytes = formatBytes(row.Bytes)
	}
	times := []string{"-", "-", "-", "-", "-", "-"}
	if row.Count > row.Skipped {
		times = []string{
			formatDuration(row.Total), formatDuration(row.Mean), formatDuration(row.P50), formatDuration(row.P99),
			formatDuration(row.Max), formatDuration(row.Waiting),
		}
	}
	line := []string{printable(row.Name), strconv.Itoa(row.Count), strconv.Itoa(row.Failed), strconv.Itoa(row.Skipped)}
	return append(append(line, times...), bytes, formatRate(row.BytesPerSecond), formatRate(row.WorkPerSecond))
}

// widest is how many characters of a name a line shows.
const widest = 40

// printable returns name as it fits on a line.
func printable(name string) string {
	if quoted := strconv.Quote(name); len(quoted) != len(name)+2 {
		name = quoted
	}
	if utf8.RuneCountInString(name) > widest {
		return string([]rune(name)[:widest-1]) + "…"
	}
	return name
}

// writeColumns writes the first column flush left and the others flush right, with a rule under the first line and above
// the last.
func writeColumns(out *bufio.Writer, table [][]string) {
	widths := make([]int, len(table[0]))
	total := 0
	for column := range widths {
		for _, line := range table {
			widths[column] = max(widths[column], utf8.RuneCountInString(line[column]))
		}
		total += widths[column] + 2
	}
	rule := strings.Repeat("─", total-2) + "\n"
	for i, line := range table {
		if i == len(table)-1 {
			out.WriteString(rule)
		}
		for column, cell := range line {
			padding := strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell))
			switch column {
			case 0:
				out.WriteString(cell + padding)
			default:
				out.WriteString("  " + padding + cell)
			}
		}
		out.WriteString("\n")
		if i == 0 {
			out.WriteString(rule)
		}
	}
}
