package ndarray

import (
	"strings"
	"unicode/utf8"
)

// page writes cells in nested brackets, as _formatArray of NumPy does.
type page struct {
	cells []string
	edges []axisEdges
	edge  int // elements in front of what is left out
	width int // of lines
	text  strings.Builder
}

// align gives all cells the width of the widest.
func (p *page) align() {
	width := 0
	for _, cell := range p.cells {
		width = max(width, utf8.RuneCountInString(cell))
	}
	for i, cell := range p.cells {
		p.cells[i] = strings.Repeat(" ", width-utf8.RuneCountInString(cell)) + cell
	}
}

// ellipsis stands for what is left out.
const ellipsis = "..."

// write writes the part of the array from the given axis on whose first cell is first.
func (p *page) write(axis, first int) {
	inner := len(p.edges) - axis - 1
	if inner < 0 {
		p.text.WriteString(p.cells[first])
		return
	}
	p.text.WriteByte('[')
	defer p.text.WriteByte(']')
	if inner == 0 {
		p.writeRow(axis, first)
		return
	}
	size := 1
	for _, e := range p.edges[axis+1:] {
		size *= e.count
	}
	separator := strings.Repeat("\n", inner) + strings.Repeat(" ", axis+1)
	for i := range p.edges[axis].count {
		if i > 0 {
			p.text.WriteString(separator)
		}
		if i == p.edge && p.edges[axis].cut {
			p.text.WriteString(ellipsis + separator)
		}
		p.write(axis+1, first+i*size)
	}
}

// writeRow writes the elements along the last axis, in as many lines as they take. Spaces at the end of a line are left out, but
// not those in front of the closing bracket.
func (p *page) writeRow(axis, first int) {
	indent, limit := axis+1, p.width-axis-1
	var line strings.Builder
	used := indent
	add := func(word string) {
		length := utf8.RuneCountInString(word)
		if used > indent {
			if used+1+length > limit {
				p.text.WriteString(strings.TrimRight(line.String(), " ") + "\n" + strings.Repeat(" ", indent))
				line.Reset()
				used = indent
			} else {
				line.WriteByte(' ')
				used++
			}
		}
		line.WriteString(word)
		used += length
	}
	for i := range p.edges[axis].count {
		if i == p.edge && p.edges[axis].cut {
			add(ellipsis)
		}
		add(p.cells[first+i])
	}
	p.text.WriteString(line.String())
}
