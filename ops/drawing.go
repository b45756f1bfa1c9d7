package ops

import (
	"slices"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// drawing is a call in a Capture that needs random numbers. Each Replay calls it anew with other numbers, and it writes its
// results where they were.
type drawing struct {
	operator        *Operator
	params          any
	env             *Env
	inputs, outputs []*Tensor
	site            *fault.Site
	ticket          resource.Ticket // of the latest call
	like            *drawing        // whose numbers it takes: as gradients do; nil if it draws its own
}

// ticketed are parameters that name the random numbers of another call.
type ticketed interface {
	ticket() resource.Ticket
	withTicket(t resource.Ticket) any
}

// drawing returns what l is if it draws, or takes what another call in the capture has drawn; else nil.
func (c *capturing) drawing(l *launch) *drawing {
	ticket, draws := l.call.ticket, l.call.Operator.Draws
	p, repeats := l.call.Params.(ticketed)
	if repeats {
		ticket = p.ticket()
	}
	like := c.drawn[ticket]
	if !draws && (!repeats || like == nil) {
		return nil
	}
	d := &drawing{operator: l.call.Operator, params: ownParams(l.call.Params), env: l.call.env, site: l.call.Site, ticket: ticket, like: like}
	if like == nil {
		c.drawn[ticket] = d
	}
	for _, t := range l.call.inputs {
		d.inputs = append(d.inputs, t.Detach())
	}
	for _, t := range l.outputs {
		d.outputs = append(d.outputs, t.Detach())
	}
	return d
}

func (d *drawing) check(site *fault.Site) {
	for _, t := range d.inputs {
		t.view.Synced.Check(d.operator.Name, engine.Read, site)
	}
	for _, t := range d.outputs {
		t.view.Synced.Check(d.operator.Name, engine.Update, site)
	}
}

func (d *drawing) writes(memory *storage.Synced) *fault.Site {
	for _, t := range d.outputs {
		if t.view.Synced == memory {
			return d.site
		}
	}
	return nil
}

func (d *drawing) push(_ engine.Engine, site *fault.Site) {
	if d.like != nil {
		d.ticket = d.like.ticket
	} else {
		d.ticket = d.env.generator.Next()
	}
	params, env := d.params, d.env
	if d.operator.Draws {
		env = env.WithGenerator(d.ticket.Generator())
	} else {
		params = params.(ticketed).withTicket(d.ticket)
	}
	invoke(d.operator, params, env, slices.Clone(d.outputs), slices.Clone(d.inputs), site, nil)
}
