package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/weft-nd/weft/profile"
)

// row is an operation, or several in a row that only differ in their numbers: all after the same ones, or each after the one
// before.
type row struct {
	first, last *Pending
	size        int
	chain       bool
}

// rows returns the operations of s in order of number.
func (s *Snapshot) rows() (all []row) {
	for i := range s.Pending {
		p := &s.Pending[i]
		if len(all) > 0 && all[len(all)-1].take(p) {
			continue
		}
		all = append(all, row{first: p, last: p, size: 1})
	}
	return all
}

// take adds p to r if it fits there.
func (r *row) take(p *Pending) bool {
	if !p.resembles(r.first) {
		return false
	}
	chain := len(p.After) > 0 && !p.More && !slices.ContainsFunc(p.After, func(h Holder) bool { return h.Number != r.last.Number })
	if chain != r.chain && r.size > 1 || !chain && (p.More || r.first.More || !slices.Equal(p.After, r.first.After)) {
		return false
	}
	r.last, r.chain = p, chain
	r.size++
	return true
}

// resembles reports whether p is another run of the same line as q, in the same state.
func (p *Pending) resembles(q *Pending) bool {
	return p.Name == q.Name && p.Site == q.Site && p.State == q.State && p.Place == q.Place && p.Device == q.Device &&
		p.Members == nil && q.Members == nil && slices.Equal(p.Accesses, q.Accesses)
}

func (s *Snapshot) writeOperations(page *bytes.Buffer) {
	page.WriteString("\noperations:\n")
	table := tabwriter.NewWriter(page, 0, 0, 2, ' ', 0)
	inError := map[uint64]bool{}
	for _, v := range s.Variables {
		inError[v.Number] = v.Err != nil
	}
	var listed, left [2]int // others, and those that wait
	for _, r := range s.rows() {
		kind := 0
		if r.first.State == Waiting {
			kind = 1
		}
		if listed[kind] == listedLines {
			left[kind] += r.size
			continue
		}
		listed[kind]++
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", r.title(), r.progress(), r.first.touches(inError), r.first.origin())
	}
	table.Flush()
	for kind, what := range []string{"do not wait", "wait"} {
		if left[kind] > 0 {
			fmt.Fprintf(page, "  and %d more that %s\n", left[kind], what)
		}
	}
}

func (r *row) title() string {
	if r.size == 1 {
		return fmt.Sprintf("#%d %s", r.first.Number, r.first.title())
	}
	return fmt.Sprintf("#%d to #%d %s, %d of them", r.first.Number, r.last.Number, r.first.title(), r.size)
}

func (r *row) progress() string {
	if r.chain {
		return r.first.progress() + ", one after the other"
	}
	return r.first.progress()
}

// title returns the name of p, with those of the operations in a bulk.
func (p *Pending) title() string {
	if len(p.Members) == 0 {
		return p.Name
	}
	names := make([]string, len(p.Members))
	for i, m := range p.Members {
		names[i] = m.Name
	}
	return p.Name + ": " + enumerate(names)
}

// progress returns what p does or waits for.
func (p *Pending) progress() string {
	switch p.State {
	case Gathered:
		return "gathered in an open bulk"
	case Held:
		return "held until Start"
	case Parked:
		return p.shortage()
	case Ready, Running, Issued:
		text := map[State]string{Ready: "ready for ", Running: "running: ", Issued: "issued on "}[p.State] + p.Place
		if len(p.After) > 0 {
			text += ", behind " + p.holders()
		}
		return text
	}
	return "after " + p.holders()
}

// shortage returns what p, which is parked, has no memory for.
func (p *Pending) shortage() string {
	text := fmt.Sprintf("parked for %v for %s", p.Parked.Round(time.Millisecond), p.Place)
	if p.Err == nil {
		return text + ", behind others"
	}
	return text + ": " + p.Err.Error()
}

// holders returns whom p comes after, once each, with the variables.
func (p *Pending) holders() string {
	var all []string
	for i := 0; i < len(p.After); {
		h := p.After[i]
		var variables []string
		for ; i < len(p.After) && p.After[i].Number == h.Number; i++ {
			variables = append(variables, fmt.Sprintf("v%d", p.After[i].Variable))
		}
		all = append(all, fmt.Sprintf("#%d %s (%s)", h.Number, h.Name, enumerate(variables)))
	}
	if p.More {
		return enumerate(all) + " and others"
	}
	return enumerate(all)
}

// touches returns the accesses of p, by mode.
func (p *Pending) touches(inError map[uint64]bool) string {
	var groups []string
	for mode, verb := range []string{"reads ", "writes ", "updates "} {
		var variables []string
		for _, a := range p.Accesses {
			if a.Mode != profile.Mode(mode) {
				continue
			}
			text := fmt.Sprintf("v%d", a.Variable)
			if a.Hi != 0 {
				text += fmt.Sprintf("[%d:%d]", a.Lo, a.Hi)
			}
			if inError[a.Variable] {
				text += " (in error)"
			}
			variables = append(variables, text)
		}
		if len(variables) > 0 {
			groups = append(groups, verb+enumerate(variables))
		}
	}
	return strings.Join(groups, "; ")
}

// origin returns the device of p, and where it was asked for.
func (p *Pending) origin() string {
	switch site := p.Site.String(); {
	case p.Wait:
		return site
	case site == "":
		return p.Device.String()
	default:
		return p.Device.String() + " at " + site
	}
}

// enumerate joins the first of all, and tells how many more there are.
func enumerate(all []string) string {
	if len(all) <= listedPerLine {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:listedPerLine-1], ", "), len(all)-listedPerLine+1)
}
