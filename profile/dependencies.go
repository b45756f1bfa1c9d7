package profile

import (
	"math"
	"slices"
)

// dependencies returns for each of the records, which are in the order of their numbers, the indexes of those that it had to
// wait for, ascending: for every byte it touched, the accesses since, and with, the latest write before it that conflict
// with its own. All others that it waited for are reached from these in further steps.
func dependencies(records []Record) [][]int32 {
	variables := make(map[uint64]*history)
	before := make([][]int32, len(records))
	for i := range records {
		if records[i].Number == 0 {
			continue
		}
		var found []int32
		for _, reads := range []bool{false, true} { // what it both writes and reads counts as written
			for _, access := range records[i].Accesses {
				if reads != (access.Mode == Read) {
					continue
				}
				h := variables[access.Variable]
				if h == nil {
					h = &history{{hi: math.MaxInt64, writer: nobody}}
					variables[access.Variable] = h
				}
				found = h.access(access, int32(i), found)
			}
		}
		slices.Sort(found)
		found = slices.Compact(found)
		before[i] = slices.DeleteFunc(found, func(earlier int32) bool { return earlier == int32(i) })
	}
	return before
}

// history is what happened to the bytes of one variable: segments without gaps, in order.
type history []segment

// segment is a range of bytes with the same past.
type segment struct {
	lo, hi  int64
	writer  int32 // the latest
	readers *reader
}

// nobody is the writer of bytes that were not written.
const nobody = -1

// reader is one that read since the latest write, and those before it. Segments that were one share the list.
type reader struct {
	record int32
	before *reader
}

// access appends to found what access, of record, waits for.
func (h *history) access(access Access, record int32, found []int32) []int32 {
	lo, hi := access.Lo, access.Hi
	if hi == 0 {
		lo, hi = 0, math.MaxInt64
	}
	if lo >= hi {
		return found
	}
	first := h.split(lo)
	last := h.split(hi)
	touched := (*h)[first:last]
	for i := range touched {
		s := &touched[i]
		if s.writer != nobody && (access.Mode == Read || s.readers == nil) {
			found = append(found, s.writer)
		}
		if access.Mode == Read {
			if s.writer != record {
				s.readers = &reader{record, s.readers}
			}
			continue
		}
		for r := s.readers; r != nil; r = r.before {
			found = append(found, r.record)
		}
	}
	if access.Mode != Read {
		touched[0] = segment{lo: lo, hi: hi, writer: record}
		*h = slices.Delete(*h, first+1, last)
	}
	return found
}

// split makes a segment begin at lo and returns its index; the number of segments if lo is beyond all of them.
func (h *history) split(lo int64) int {
	i, found := slices.BinarySearchFunc(*h, lo, func(s segment, lo int64) int {
		switch {
		case s.hi <= lo:
			return -1
		case s.lo > lo:
			return 1
		}
		return 0
	})
	if !found || (*h)[i].lo == lo {
		return i
	}
	rest := (*h)[i]
	rest.lo = lo
	(*h)[i].hi = lo
	*h = slices.Insert(*h, i+1, rest)
	return i + 1
}
