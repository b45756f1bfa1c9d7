package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pageData is what the page's program reads.
type pageData struct {
	Program                              string
	Dropped                              uint64
	Count                                int
	Tracks                               []string
	Rows                                 []Row
	All                                  Row
	Names, Lanes, Devices, Sites, Errors []string

	Name, Lane, Device, Site, Error           []any
	Track, Number, Start, Duration, Waited    []any
	Queued, Bytes, Work, Skipped, Wait, Cause []any
	Dependencies, Dependency                  []any
}

func pageOf(t *testing.T, l *Log) (html string, data pageData) {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, l.WriteTimeline(&text))
	_, rest, found := strings.Cut(text.String(), `<script type="application/json" id="data">`)
	require.True(t, found)
	content, _, found := strings.Cut(rest, "</script>")
	require.True(t, found)
	require.NoError(t, json.Unmarshal([]byte(content), &data))
	return text.String(), data
}

// expanded undoes the counting of equal numbers in a row.
func expanded(column []any) []int64 {
	var all []int64
	for _, item := range column {
		if pair, counted := item.([]any); counted {
			all = append(all, slices.Repeat([]int64{int64(pair[0].(float64))}, int(pair[1].(float64)))...)
		} else {
			all = append(all, int64(item.(float64)))
		}
	}
	return all
}

func summed(column []any) []int64 {
	all := expanded(column)
	for i := 1; i < len(all); i++ {
		all[i] += all[i-1]
	}
	return all
}

func TestAPageHoldsEveryRecord(t *testing.T) {
	records := run(9, 300, 4)
	for i, name := range hostile {
		records[i].Name, records[i].Err = name, errors.New(name)
	}
	records = append(records, wait(5, 700, 3), wait(900, 1000, 0))
	html, data := pageOf(t, logOf(records))
	require.NotContains(t, html, "{{style}}")
	records = sortedByNumber(records)
	require.Equal(t, len(records), data.Count)
	numbers, starts := summed(data.Number), summed(data.Start)
	var columns [][]int64
	for _, column := range [][]any{data.Name, data.Lane, data.Device, data.Site, data.Error, data.Track, data.Duration, data.Waited, data.Queued, data.Bytes, data.Work, data.Skipped, data.Wait, data.Cause, data.Dependencies} {
		all := expanded(column)
		require.Len(t, all, len(records))
		columns = append(columns, all)
	}
	dependency := expanded(data.Dependency)
	before := dependencies(records)
	for i, r := range records {
		at := func(column int) int64 { return columns[column][i] }
		require.Equal(t, int64(r.Number), numbers[i])
		require.Equal(t, int64(r.Start), starts[i])
		require.Equal(t, strings.ToValidUTF8(r.Name, "\ufffd\ufffd"), data.Names[at(0)])
		require.Equal(t, r.Lane, data.Lanes[at(1)])
		require.Equal(t, r.Device.String(), data.Devices[at(2)])
		require.Equal(t, r.Site.String(), data.Sites[at(3)])
		require.Equal(t, strings.ToValidUTF8(failure(&r), "\ufffd\ufffd"), data.Errors[at(4)])
		require.True(t, strings.HasPrefix(data.Tracks[at(5)], r.Lane))
		require.Equal(t, []int64{int64(r.End - r.Start), int64(r.Start - r.Ready), int64(r.Ready - r.Pushed), r.Bytes, r.Work, number(r.Skipped), number(r.isWait())},
			[]int64{at(6), at(7), at(8), at(9), at(10), at(11), at(12)})
		if r.Cause != 0 {
			require.Equal(t, r.Cause, records[int64(i)-at(13)].Number)
		} else {
			require.Zero(t, at(13))
		}
		require.Len(t, before[i], int(at(14)))
		for _, earlier := range before[i] {
			require.Equal(t, int64(earlier), int64(i)-dependency[0])
			dependency = dependency[1:]
		}
	}
	require.Empty(t, dependency)
}

func TestNamesCannotLeaveThePagesData(t *testing.T) {
	empty, _ := pageOf(t, New(0))
	var records []Record
	for i, name := range hostile {
		records = append(records, Record{Number: uint64(i + 1), Name: name, Lane: name, Err: errors.New(name), End: time.Microsecond})
	}
	full, _ := pageOf(t, logOf(records))
	for _, mark := range []string{"<script", "</script", "<!--", "alert(1)<"} {
		require.Equal(t, strings.Count(empty, mark), strings.Count(full, mark), mark)
	}
}

func TestAPageNeedsNothingElse(t *testing.T) {
	html, _ := pageOf(t, logOf(run(1, 20, 2)))
	require.NotRegexp(t, regexp.MustCompile(`https?://|src=|href=|@import|url\(`), html)
	require.Contains(t, html, "default-src 'none'")
	files, err := page.ReadDir("timeline")
	require.NoError(t, err)
	for _, file := range files {
		text := part(file.Name())
		if strings.HasSuffix(file.Name(), ".html") {
			continue
		}
		require.Contains(t, html, text, "%s is part of the page", file.Name())
	}
}

func TestAPageOfManyRecordsIsSmall(t *testing.T) {
	records := run(1, 1000, 4)
	empty, _ := pageOf(t, New(0))
	html, _ := pageOf(t, logOf(records))
	require.Less(t, (len(html)-len(empty))/len(records), 90, "bytes for a record")
}

func TestAnEmptyLogMakesAPage(t *testing.T) {
	_, data := pageOf(t, New(0))
	require.Zero(t, data.Count)
	require.Empty(t, data.Number)
	require.Empty(t, data.Tracks)
}
