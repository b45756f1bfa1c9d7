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

// InGradientOf returns a Site like s for operators that are applied by the gradient rule of a call of operator, which was at
// the Site of. Errors at the result begin with that call. Equal arguments give the same Site.
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

// Gradient returns the operator whose gradient rule called the operator at s, and where the user called the former; found is
// false if s is not in a gradient.
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
