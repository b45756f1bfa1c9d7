package cuda

import "github.com/weft-nd/weft/device"

// update runs the step of an optimiser, the kernel operator, on each array of weights. For each there is an output for its weights and
// for each of its states, an input for its gradient, and so many Scalars as Integers[0] says. The last output, a 0-d bool, becomes true.
func update(operator string) recipe {
	return recipe{run: func(l *launcher, a *device.Arguments) error {
		last := len(a.Outputs) - 1
		each, numbers := last/max(len(a.Inputs), 1), int(a.Integers[0])
		for i := range a.Inputs {
			err := l.launch(operator, l.types, &device.Arguments{
				Outputs: a.Outputs[i*each:][:each], Inputs: a.Inputs[i:][:1], Scalars: a.Scalars[i*numbers:][:numbers],
			})
			if err != nil {
				return err
			}
		}
		return l.tell(a.Outputs[last])
	}}
}

// inPlace runs the kernel operator on Outputs[0] and Inputs, and then Outputs[1], a 0-d bool, becomes true.
func inPlace(operator string) recipe {
	return recipe{run: func(l *launcher, a *device.Arguments) error {
		changed := *a
		changed.Outputs = a.Outputs[:1]
		if err := l.launch(operator, l.types, &changed); err != nil {
			return err
		}
		return l.tell(a.Outputs[1])
	}}
}

// tell makes a bool true.
func (l *launcher) tell(done device.View) error {
	return l.launch("fill", "bool", &device.Arguments{Outputs: []device.View{done}, Integers: []int64{1}, Scalars: []float64{1}})
}
