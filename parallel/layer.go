package parallel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-nd/weft/fault"
)

// layerVariable names the threading layer of the process, workqueue, goroutine or serial, or a list of layers of which the
// first that weft has is taken; workqueue if it is not set.
const layerVariable = "WEFT_THREADING_LAYER"

// Layer is a way in which regions find the goroutines that take part in them: Numba's threading layer. A region has the same
// slots and the same results on every layer, and regions nest and come from many goroutines at once on each.
type Layer string

// The layers.
const (
	// LayerWorkqueue shares regions with the workers of the pool, which wait for them awake for a while.
	LayerWorkqueue Layer = "workqueue"
	// LayerGoroutine starts goroutines for each region, in all regions of the pool together fewer than it has workers.
	LayerGoroutine Layer = "goroutine"
	// LayerSerial runs each region in the goroutine that opens it, slot after slot.
	LayerSerial Layer = "serial"
)

// layers are all layers, the preferred ones first.
var layers = []Layer{LayerWorkqueue, LayerGoroutine, LayerSerial}

// groups are Numba's names of layers with a property. Goroutines cannot fork the process, so safe is threadsafe, which all are.
var groups = []string{"default", "safe", "threadsafe"}

// foreign are the layers of Numba that weft does not have.
var foreign = []string{"tbb", "omp"}

// ParseLayer returns the layer that text names: a layer, or one of Numba's names default, safe and threadsafe, for which any
// layer will do; then it is LayerWorkqueue. Text may also be a list of these, separated by spaces or commas, in order of
// preference, in which Numba's tbb and omp are passed over. Upper and lower case are the same. The error lists the legal names.
func ParseLayer(text string) (Layer, error) {
	names := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	var found Layer
	for _, name := range names {
		switch {
		case slices.Contains(layers, Layer(name)):
			found = first(found, Layer(name))
		case slices.Contains(groups, name):
			found = first(found, layers[0])
		case !slices.Contains(foreign, name):
			return "", fmt.Errorf("parallel: the threading layer requested %q is unknown: there are %s", name, known())
		}
	}
	if found == "" {
		return "", fmt.Errorf("parallel: no threading layer could be found for %q: there are %s", text, known())
	}
	return found, nil
}

func first(found, next Layer) Layer {
	if found != "" {
		return found
	}
	return next
}

// known lists the names that ParseLayer takes.
func known() string {
	names := make([]string, len(layers))
	for i, layer := range layers {
		names[i] = string(layer)
	}
	return strings.Join(names, ", ") + "; any of them for " + strings.Join(groups, ", ")
}

// defaultLayer returns the layer that a value of WEFT_THREADING_LAYER asks for.
func defaultLayer(value string) Layer {
	if value == "" {
		return layers[0]
	}
	layer, err := ParseLayer(value)
	if err != nil {
		panic(fault.Variable(layerVariable, value, known()))
	}
	return layer
}

var errNotInitialised = errors.New("parallel: the threading layer is not initialised")

// ThreadingLayer returns the layer of the pool of the process. It is an error before the first call of [Default], directly or
// by an engine, which chooses it.
func ThreadingLayer() (Layer, error) {
	pool := initialised.Load()
	if pool == nil {
		return "", errNotInitialised
	}
	return pool.Layer(), nil
}

// Option is a choice that New takes.
type Option func(*Pool)

// WithLayer makes the regions of a pool use a layer; LayerWorkqueue is used without it. An unknown layer panics.
func WithLayer(layer Layer) Option {
	if !slices.Contains(layers, layer) {
		panic(fmt.Sprintf("parallel: the threading layer %q is unknown: there are %s", string(layer), known()))
	}
	return func(p *Pool) { p.layer = layer }
}

// Layer returns the layer of the regions of p.
func (p *Pool) Layer() Layer { return p.layer }

// invite lets others claim the slots of a region that its launcher has opened.
func (p *Pool) invite(r *region) {
	switch {
	case p.layer == LayerWorkqueue && r.bit != 0:
		if r.isListed() {
			p.open.Or(r.bit)
		}
		if !p.alone() && p.wake(r.count-1) {
			p.yield()
		}
	case p.layer == LayerGoroutine && !p.alone():
		p.start(r)
	}
}
