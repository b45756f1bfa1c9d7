package profile

import (
	"bufio"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed timeline
var page embed.FS

// scripts are the parts of the page's program, in order: each uses those before it.
var scripts = []string{"data.js", "format.js", "colour.js", "view.js", "relations.js", "draw.js", "overlay.js", "panel.js", "input.js"}

// WriteTimeline writes one HTML file that shows the records on tracks, a lane of the engine each, to zoom and to search, with
// what each operation waited for and the Summary. It needs nothing from the network. Opened with "#select=12" at the end
// of its address it shows operation 12 selected; "from" and "to", in milliseconds since the first start, give the part of the
// time to show, and "search" what to search for, as in "#from=1.5&to=2&search=matmul".
func (l *Log) WriteTimeline(w io.Writer) error {
	out := bufio.NewWriter(w)
	before, after, _ := strings.Cut(part("page.html"), "{{data}}")
	fill := strings.NewReplacer("{{style}}", part("page.css"), "{{script}}", script())
	out.WriteString(fill.Replace(before))
	if err := l.writeData(out); err != nil {
		return err
	}
	out.WriteString(fill.Replace(after))
	return out.Flush()
}

// part returns a part of the page.
func part(name string) string {
	text, err := page.ReadFile("timeline/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

func script() string {
	var all strings.Builder
	for _, name := range scripts {
		all.WriteString(part(name))
	}
	return all.String()
}

// writeData writes the records as a JSON object of columns of numbers, which is compact: the records are in the order of their
// numbers, and what refers to another record says how far back that is.
func (l *Log) writeData(out *bufio.Writer) error {
	records := l.all()
	slices.SortStableFunc(records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Start, b.Start))
	})
	rows, all, _ := summarize(slices.Values(records))
	places, order := lay(records)
	c := columns{out: out, records: records}
	out.WriteString("{")
	for _, field := range []struct {
		name  string
		value any
	}{
		{"program", filepath.Base(os.Args[0])},
		{"dropped", l.Dropped()},
		{"tracks", order},
		{"rows", rows},
		{"all", all},
	} {
		if err := c.value(field.name, field.value); err != nil {
			return err
		}
	}
	c.write(places)
	_, err := fmt.Fprintf(out, "\"count\":%d}", len(records))
	return err
}

// lay returns the index of the track of each record, and the names of the tracks from above.
func lay(records []Record) (places []int, names []string) {
	byStart := make([]int, len(records))
	for i := range byStart {
		byStart[i] = i
	}
	slices.SortFunc(byStart, func(i, j int) int {
		return cmp.Or(cmp.Compare(records[i].Start, records[j].Start), cmp.Compare(records[j].End, records[i].End), cmp.Compare(i, j))
	})
	var t tracks
	placed := make([]*track, len(records))
	for _, i := range byStart {
		placed[i], _ = t.place(records[i].Lane, records[i].Start, records[i].End)
	}
	slices.SortFunc(t.all, compareTracks)
	for position, track := range t.all {
		track.index = position
		names = append(names, track.name())
	}
	for _, track := range placed {
		places = append(places, track.index)
	}
	return places, names
}

// value writes a field in JSON, which escapes all that could end the element of the page that it stands in.
func (c *columns) value(name string, value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		_, err = fmt.Fprintf(c.out, "%q:%s,\n", name, text)
	}
	return err
}
