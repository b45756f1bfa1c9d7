package storage

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// Holding is the memory of the arrays that one line of the user's program made.
type Holding struct {
	Site   *fault.Site // nil where it is not known
	Arrays int
	Bytes  int64
}

// holdings returns who holds the memory that is leased, the largest first.
func (l *ledger) holdings() []Holding {
	sites := map[*fault.Site]Holding{}
	l.mu.Lock()
	for entry := l.latest; entry != nil; entry = entry.earlier {
		sites[entry.site] = sites[entry.site].and(1, int64(entry.memory.Bytes), entry.site)
	}
	l.mu.Unlock()
	return byLine(sites)
}

// byLine returns one Holding for each line of the program, the largest first: several ways may lead to a line.
func byLine(sites map[*fault.Site]Holding) []Holding {
	lines := map[line]Holding{}
	for site, h := range sites {
		frame, _ := site.Frame()
		at := line{frame.File, frame.Line}
		lines[at] = lines[at].and(h.Arrays, h.Bytes, site)
	}
	return slices.SortedFunc(maps.Values(lines), Holding.compare)
}

// compare orders the largest first.
func (h Holding) compare(other Holding) int {
	return cmp.Or(cmp.Compare(other.Bytes, h.Bytes), cmp.Compare(h.Site.String(), other.Site.String()))
}

type line struct {
	file   string
	number int
}

// and returns h with what a site holds.
func (h Holding) and(arrays int, bytes int64, site *fault.Site) Holding {
	return Holding{site, h.Arrays + arrays, h.Bytes + bytes}
}

// namedHolders is how many of the largest holders an error names.
const namedHolders = 3

// refuse returns err, of an allocation that found no memory, with the largest holders.
func (l *ledger) refuse(err error) error {
	var text strings.Builder
	for i, h := range l.holdings() {
		if i == namedHolders {
			break
		}
		arrays := "arrays"
		if h.Arrays == 1 {
			arrays = "array"
		}
		fmt.Fprintf(&text, "; %s in %d %s", formatBytes(h.Bytes), h.Arrays, arrays)
		if site := h.Site.String(); site != "" {
			text.WriteString(" made at " + site)
		}
	}
	if text.Len() == 0 {
		return err
	}
	return fmt.Errorf("%w; the largest holders:%s", err, text.String()[1:])
}

// NameHolders returns err with the largest holders of the memory of d if it is that of an allocation there that found none.
func NameHolders(d device.Device, err error) error {
	if !errors.Is(err, fault.ErrOutOfMemory) {
		return err
	}
	l, failed := ledgerOf(d)
	if failed != nil {
		return err
	}
	return l.refuse(err)
}
