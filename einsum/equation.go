package einsum

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Label stands for an axis: a letter, or a negative number for the axes of an ellipsis, of which the last is -1.
type Label int

// Ellipsis is the label of "..." before Bind knows how many axes it stands for.
const Ellipsis Label = 0

// String returns the letter, or "...".
func (l Label) String() string {
	if l <= 0 {
		return "..."
	}
	return string(rune(l))
}

// Term names the axes of an operand or of the result.
type Term struct {
	Labels []Label
	Column int   // bytes in the equation before the term
	places []int // bytes before each label
}

// place returns how many bytes are before label i.
func (t Term) place(i int) int {
	if i < len(t.places) {
		return t.places[i]
	}
	return t.Column
}

// Equation is one that was read.
type Equation struct {
	Text     string
	Operands []Term
	Result   Term

	latest atomic.Pointer[boundShapes]
}

// IsMatrixProduct reports whether e is "ij,jk->ik", with whatever letters.
func (e *Equation) IsMatrixProduct() bool {
	if len(e.Operands) != 2 {
		return false
	}
	x, y, result := e.Operands[0].Labels, e.Operands[1].Labels, e.Result.Labels
	return len(x) == 2 && len(y) == 2 && len(result) == 2 && x[1] == y[0] && result[0] == x[0] && result[1] == y[1] &&
		x[0] != x[1] && y[0] != y[1] && x[0] != y[1] && x[0] != Ellipsis && x[1] != Ellipsis && y[1] != Ellipsis
}

// Mistake tells what is wrong with an equation, or why operands do not fit it.
type Mistake struct {
	Text   string // the equation
	Column int    // bytes in it before the mistake
	Detail string
	Shapes bool // shapes of operands do not fit; else the equation is wrong in itself
}

// Error returns Detail.
func (m *Mistake) Error() string { return m.Detail }

// remembered are equations that were read, by their text, and how many: the first thousand stay.
var (
	remembered      sync.Map
	rememberedCount atomic.Int32
)

const rememberedMost = 1000

// Parse reads an equation, which must not be changed: it may have been read before. The error is a *Mistake.
func Parse(text string) (*Equation, error) {
	if known, found := remembered.Load(text); found {
		return known.(*Equation), nil
	}
	e, err := read(text)
	if err == nil && rememberedCount.Add(1) <= rememberedMost {
		remembered.Store(strings.Clone(text), e)
	}
	return e, err
}

func read(text string) (*Equation, error) {
	e := &Equation{Text: text}
	left, right, explicit := strings.Cut(text, "->")
	column := 0
	for part := range strings.SplitSeq(left, ",") {
		term, err := e.term(part, column)
		if err != nil {
			return nil, err
		}
		e.Operands = append(e.Operands, term)
		column += len(part) + 1
	}
	if !explicit {
		e.Result = e.implicit()
		return e, nil
	}
	var err error
	if e.Result, err = e.term(right, len(left)+len("->")); err != nil {
		return nil, err
	}
	if err = e.checkResult(); err != nil {
		return nil, err
	}
	return e, nil
}

// term reads part, which is behind column bytes of the equation.
func (e *Equation) term(part string, column int) (t Term, err error) {
	t.Column = column
	for i := 0; i < len(part); i++ {
		label := Label(part[i])
		switch {
		case part[i] == ' ':
			continue
		case strings.HasPrefix(part[i:], "..."):
			label = Ellipsis
			if slices.Contains(t.Labels, Ellipsis) {
				return t, e.mistake(column+i, "a second ellipsis in one operand")
			}
		case !isLetter(part[i]):
			return t, e.mistake(column+i, fmt.Sprintf("%q is no letter, comma, arrow or ellipsis", firstRune(part[i:])))
		}
		t.Labels, t.places = append(t.Labels, label), append(t.places, column+i)
		if label == Ellipsis {
			i += len("...") - 1
		}
	}
	return t, nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func firstRune(text string) string {
	for _, r := range text {
		return string(r)
	}
	return ""
}

func (e *Equation) mistake(column int, detail string) error {
	return &Mistake{Text: e.Text, Column: column, Detail: detail}
}

// implicit returns the result that is meant where none is written.
func (e *Equation) implicit() (t Term) {
	counts := map[Label]int{}
	for _, operand := range e.Operands {
		for _, label := range operand.Labels {
			counts[label]++
		}
	}
	t.Column = len(e.Text)
	for label, count := range counts {
		if count == 1 || label == Ellipsis {
			t.Labels = append(t.Labels, label)
		}
	}
	slices.Sort(t.Labels) // the ellipsis is first
	return t
}

// checkResult returns what is wrong with the result that is written.
func (e *Equation) checkResult() error {
	for i, label := range e.Result.Labels {
		if slices.Contains(e.Result.Labels[:i], label) {
			return e.mistake(e.Result.place(i), fmt.Sprintf("%v is in the result twice", label))
		}
		if !slices.ContainsFunc(e.Operands, func(t Term) bool { return slices.Contains(t.Labels, label) }) {
			return e.mistake(e.Result.place(i), fmt.Sprintf("%v is in the result, but in no operand", label))
		}
	}
	return nil
}
