package nn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Stateful is a layer that has arrays beside its parameters, such as running averages, which a saved model needs.
type Stateful interface {
	Layer
	// NamedState yields these arrays with their names within the layer.
	NamedState() iter.Seq2[string, *nd.Array]
}

// State returns the parameters of a layer and the arrays of those that are Stateful, by their names: the arrays themselves, not
// copies. Files such as [nd.SaveNPZ] writes hold it; [nd.LoadNPZIn] reads them into the Env of the layer.
func State(l Layer) map[string]*nd.Array {
	if isNil(l) {
		mistake("State", fault.ErrMisuse, "the layer is nil")
	}
	state := map[string]*nd.Array{}
	collect := func(arrays iter.Seq2[string, *nd.Array]) {
		for name, a := range arrays {
			state[name] = a
		}
	}
	collect(l.Named())
	if s, ok := l.(Stateful); ok {
		collect(s.NamedState())
	}
	return state
}

// SetState replaces the arrays of State by those of the same names, shapes and dtypes, which it waits for and copies;
// they may be the layer's own. The error names all that are missing or do not fit, or else those that are in error;
// then nothing was changed. It is an *nd.Error with the cause fault.ErrParameter. Layers of Unknown sizes must have
// been built. FromPyTorch converts what PyTorch has saved. It panics with *nd.Error, and changes nothing, if an array
// was released, or a live tape has saved one of the layer's.
func SetState(l Layer, state map[string]*nd.Array) error {
	var own map[string]*nd.Array
	if err := nd.Try(func() { own = State(l) }); err != nil {
		return err
	}
	var problems []error
	var failed error
	for _, name := range slices.Sorted(maps.Keys(own)) {
		switch a, b := own[name], state[name]; {
		case b == nil:
			problems = append(problems, fmt.Errorf("there is no array %s", name))
		case a.Env().Engine() != b.Env().Engine():
			problems = append(problems, fmt.Errorf("%s belongs to another engine", name))
		case a.DType() != b.DType() || !slices.Equal(a.Shape(), b.Shape()):
			hint := ""
			if a.Rank() == 2 && slices.Equal(a.T().Shape(), b.Shape()) {
				hint = ", as its transpose is" // where the weights of Dense layers are those of PyTorch
			}
			problems = append(problems, fmt.Errorf("%s is %v %s, want %v %s%s", name, b.DType(), fault.FormatShape(b.Shape()), a.DType(), fault.FormatShape(a.Shape()), hint))
		default:
			if err := b.Wait(context.Background()); err != nil {
				failed = errors.Join(failed, fmt.Errorf("array %s: %w", name, err))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if own[name] == nil {
			problems = append(problems, fmt.Errorf("the model has no array %s", name))
		}
	}
	if problems != nil {
		detail := fmt.Sprintf("the arrays are of another model: %v", errors.Join(problems...))
		return &nd.Error{Operator: "SetState", Detail: detail, Cause: fault.ErrParameter, Site: fault.Here(1)}
	}
	var to, from []*nd.Array
	for name, a := range own {
		to, from = append(to, a), append(from, state[name])
	}
	if failed == nil {
		failed = nd.CopyAllInto(context.Background(), to, from)
	}
	if failed != nil {
		return &nd.Error{Operator: "SetState", Detail: failed.Error(), Cause: fmt.Errorf("%w: %w", fault.ErrParameter, failed), Site: fault.Here(1)}
	}
	return nil
}
