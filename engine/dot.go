package engine

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/weft-nd/weft/device"
)

// WriteDOT writes s as a graph for Graphviz: one node for each pending operation, in a box for each device, and one edge from
// each operation to those that come after it, labelled with the variable. What runs or is issued is filled, the critical path
// is bold, and a goroutine in Wait is an ellipse. It returns the error of w.
func (s Snapshot) WriteDOT(w io.Writer) error {
	var page bytes.Buffer
	page.WriteString("digraph weft {\n\trankdir=LR;\n\tnode [shape=box];\n")
	critical := map[uint64]uint64{} // each link, with the one before
	before := uint64(0)
	for _, p := range s.CriticalPath() {
		critical[p.Number] = before
		before = p.Number
	}
	var devices []device.Device
	byDevice := map[device.Device][]*Pending{}
	for i := range s.Pending {
		p := &s.Pending[i]
		if byDevice[p.Device] == nil {
			devices = append(devices, p.Device)
		}
		byDevice[p.Device] = append(byDevice[p.Device], p)
	}
	for i, d := range devices {
		fmt.Fprintf(&page, "\tsubgraph cluster_%d {\n\t\tlabel=%s;\n", i, quote(d.String()))
		for _, p := range byDevice[d] {
			_, bold := critical[p.Number]
			fmt.Fprintf(&page, "\t\tn%d [label=%s%s];\n", p.Number, quote(p.label()), p.look(bold))
		}
		page.WriteString("\t}\n")
	}
	for _, p := range s.Pending {
		for _, h := range p.After {
			style := ""
			if link, found := critical[p.Number]; found && link == h.Number {
				style = ", style=bold"
			}
			fmt.Fprintf(&page, "\tn%d -> n%d [label=%s%s];\n", h.Number, p.Number, quote(fmt.Sprintf("v%d", h.Variable)), style)
		}
	}
	page.WriteString("}\n")
	_, err := w.Write(page.Bytes())
	return err
}

// label returns the lines in the node of p.
func (p *Pending) label() string {
	lines := []string{fmt.Sprintf("#%d %s", p.Number, p.title()), strings.TrimSpace(p.State.String() + " " + p.Place)}
	if site := p.Site.String(); site != "" {
		lines = append(lines, site)
	}
	return strings.Join(lines, "\n")
}

// look returns the attributes of the node of p beside its label.
func (p *Pending) look(bold bool) (attributes string) {
	var styles []string
	if p.State == Running || p.State == Issued {
		styles = append(styles, "filled")
	}
	if bold {
		styles = append(styles, "bold")
	}
	if len(styles) > 0 {
		attributes = ", style=" + quote(strings.Join(styles, ","))
	}
	if p.Wait {
		attributes += ", shape=ellipse"
	}
	return attributes
}

// escape is for strings in quotes whose escapes Graphviz interprets.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "", "\x00", "")

// quote returns text as a string of the DOT language that shows as text.
func quote(text string) string {
	return `"` + escape.Replace(strings.ToValidUTF8(text, "\uFFFD")) + `"`
}
