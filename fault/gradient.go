package fault

import "sync"

// gradient tells that an operator was called by the rule for the gradient of another.
type gradient struct {
	at       *Site // that asked for gradients
	operator string
	of       *Site // that called the operator
}

// gradients interns them as sites does Sites.
var gradients sync.Map // gradient → *Site

// InGradientOf returns s as the Site of operators that the rule for the gradient of a call applies: of that operator, at the Site of.
// Errors tell it first. Equal calls share one Site.
func (s *Site) InGradientOf(operator string, of *Site) *Site {
	if s == nil {
		return nil
	}
	key := gradient{s, operator, of}
	if known, found := gradients.Load(key); found {
		return known.(*Site)
	}
	known, _ := gradients.LoadOrStore(key, &Site{counters: s.counters, gradient: &key})
	return known.(*Site)
}

// Gradient returns the operator whose gradient called what s is the Site of, and where the user called that; found is false if no
// gradient did.
func (s *Site) Gradient() (operator string, of *Site, found bool) {
	if s == nil || s.gradient == nil {
		return "", nil, false
	}
	return s.gradient.operator, s.gradient.of, true
}

// inGradients returns what an error at s begins with: "in the gradient of exp at main.go:12: ", and for a gradient of a gradient
// the same of that; nothing if no gradient called.
func (s *Site) inGradients() (text string) {
	for operator, of, found := s.Gradient(); found; operator, of, found = of.Gradient() {
		text += "in the gradient of " + of.composed(operator) + operator + at(of) + ": "
	}
	return text
}
