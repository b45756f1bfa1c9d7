package profile

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// columns writes records, in the order of their numbers, column by column.
type columns struct {
	out     *bufio.Writer
	records []Record
}

// write writes all columns. Texts are written once, in lists that columns hold indexes of; numbers and starts as differences to the
// record before.
func (c *columns) write(places []int) {
	c.lists()
	c.column("track", func(i int, _ *Record) int64 { return int64(places[i]) })
	c.column("number", func(i int, r *Record) int64 { return int64(r.Number - c.previous(i).Number) })
	c.column("start", func(i int, r *Record) int64 { return int64(r.Start - c.previous(i).Start) })
	c.column("duration", func(_ int, r *Record) int64 { return int64(r.duration()) })
	c.column("waited", func(_ int, r *Record) int64 { return int64(r.Start - r.Ready) })
	c.column("queued", func(_ int, r *Record) int64 { return int64(r.Ready - r.Pushed) })
	c.column("bytes", func(_ int, r *Record) int64 { return r.Bytes })
	c.column("work", func(_ int, r *Record) int64 { return r.Work })
	c.column("skipped", func(_ int, r *Record) int64 { return number(r.Skipped) })
	c.column("wait", func(_ int, r *Record) int64 { return number(r.isWait()) })
	c.relations()
}

// lists writes the columns of texts.
func (c *columns) lists() {
	texts(c, "name", func(r *Record) string { return r.Name }, func(name string) string { return name })
	texts(c, "lane", func(r *Record) string { return r.Lane }, func(lane string) string { return lane })
	texts(c, "device", func(r *Record) device.Device { return r.Device }, device.Device.String)
	texts(c, "site", func(r *Record) *fault.Site { return r.Site }, (*fault.Site).String)
	texts(c, "error", failure, func(text string) string { return text })
}

func failure(r *Record) string {
	if r.Err == nil {
		return ""
	}
	return r.Err.Error()
}

// texts writes the list of different texts that records have, and the column of indexes in it.
func texts[K comparable](c *columns, name string, key func(*Record) K, text func(K) string) {
	indexes := make(map[K]int64)
	list := []string{}
	for i := range c.records {
		k := key(&c.records[i])
		if _, known := indexes[k]; !known {
			indexes[k] = int64(len(list))
			list = append(list, text(k))
		}
	}
	_ = c.value(name+"s", list) // of strings: fails only as out does, which Flush reports
	c.column(name, func(_ int, r *Record) int64 { return indexes[key(r)] })
}

// relations writes the columns that refer to other records.
func (c *columns) relations() {
	byNumber := make(map[uint64]int, len(c.records))
	for i := range c.records {
		if r := &c.records[i]; r.Number != 0 && !r.isWait() {
			byNumber[r.Number] = i
		}
	}
	c.column("cause", func(i int, r *Record) int64 {
		if cause, kept := byNumber[r.Cause]; kept {
			return int64(i - cause)
		}
		return 0
	})
	before := dependencies(c.records)
	c.column("dependencies", func(i int, _ *Record) int64 { return int64(len(before[i])) })
	c.list("dependency", func(write func(int64)) {
		for i := range before {
			for _, earlier := range before[i] {
				write(int64(i) - int64(earlier))
			}
		}
	})
}

// previous returns the record before the one with index i; an empty one before the first.
func (c *columns) previous(i int) *Record {
	if i == 0 {
		return new(Record)
	}
	return &c.records[i-1]
}

// column writes one number of each record.
func (c *columns) column(name string, value func(i int, r *Record) int64) {
	c.list(name, func(write func(int64)) {
		for i := range c.records {
			write(value(i, &c.records[i]))
		}
	})
}

// list writes numbers. Many equal ones in a row are written once, with their count: [[7,1000],8].
func (c *columns) list(name string, produce func(write func(int64))) {
	var current, repeated int64
	separator := "\"" + name + "\":["
	end := func() {
		if repeated == 0 {
			return
		}
		c.out.WriteString(separator)
		separator = ","
		text := strconv.FormatInt(current, 10)
		if repeated < 4 {
			c.out.WriteString(text + strings.Repeat(","+text, int(repeated)-1))
			return
		}
		c.out.WriteString("[" + text + "," + strconv.FormatInt(repeated, 10) + "]")
	}
	produce(func(value int64) {
		if repeated > 0 && value == current {
			repeated++
			return
		}
		end()
		current, repeated = value, 1
	})
	end()
	if repeated == 0 {
		c.out.WriteString(separator)
	}
	c.out.WriteString("],\n")
}

func number(truth bool) int64 {
	if truth {
		return 1
	}
	return 0
}
