package weft_test

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/ops"
)

func badRecurrentLayers() []badInput {
	env, infer, x, one := nd.DefaultEnv(), nn.Infer(), ramp(2, 4, 3), ramp(2, 3)
	lstm, gru, rnn := nn.NewLSTM(env, 3, 5), nn.NewGRU(env, 3, 5), nn.NewRNN(env, 3, 5)
	lstmCell, gruCell := nn.NewLSTMCell(env, 3, 5), nn.NewGRUCell(env, 3, 5)
	released, releasedStep, releasedStates, states := ramp(2, 4, 3), ramp(2, 3), ramp(1, 2, 5), ramp(1, 2, 5)
	for _, a := range []*nd.Array{released, releasedStep, releasedStates} {
		a.Release()
	}
	other := ops.NewEnv(engine.NewNaive())
	elsewhere, statesElsewhere := nd.OnesIn(other, dtype.Float32, 2, 4, 3), nd.OnesIn(other, dtype.Float32, 1, 2, 5)
	lengths := func(n ...int64) *nd.Array { return nd.FromSlice(n) }
	return []badInput{
		{"NewLSTM", fault.ErrMisuse, "the Env is nil", func() { nn.NewLSTM(nil, 3, 5) }},
		{"NewLSTM", fault.ErrParameter, "the size 0 is too small (legal: from 1)", func() { nn.NewLSTM(env, 3, 0) }},
		{"NewLSTM", fault.ErrParameter, "0 layers are Stacked (legal: from 1 to 65536)", func() { nn.NewLSTM(env, 3, 5, nn.Stacked(0)) }},
		{"NewLSTM", fault.ErrParameter, "the layer has no Rectified", func() { nn.NewLSTM(env, 3, 5, nn.Rectified()) }},
		{"NewGRU", fault.ErrMisuse, "option 0 is nil", func() { nn.NewGRU(env, 3, 5, nil) }},
		{"NewGRU", fault.ErrParameter, "the size -2 is too small (legal: from 0)", func() { nn.NewGRU(env, -2, 5) }},
		{"NewRNN", fault.ErrParameter, "the probability of DropBetween is 1.5 (legal: from 0 to 1)", func() { nn.NewRNN(env, 3, 5, nn.DropBetween(1.5)) }},
		{"NewLSTMCell", fault.ErrParameter, "a cell has one layer and one direction, and drops nothing", func() { nn.NewLSTMCell(env, 3, 5, nn.Bidirectional()) }},
		{"NewGRUCell", fault.ErrMisuse, "the Env is nil", func() { nn.NewGRUCell(nil, 3, 5) }},
		{"LSTM.Forward", fault.ErrMisuse, "the context is nil", func() { lstm.Forward(nil, x) }},
		{"LSTM.Forward", fault.ErrShape, "x has shape (2,3), want (samples,times,features)", func() { lstm.Forward(infer, one) }},
		{"LSTM.Forward", fault.ErrShape, "x has shape (2,4,2), want (samples,times,3)", func() { lstm.Forward(infer, ramp(2, 4, 2)) }},
		{"LSTM.Run", fault.ErrMisuse, "the array is nil", func() { lstm.Run(infer, nil, nil, nil, nil) }},
		{"LSTM.Run", fault.ErrDType, "lengths are float32, want int64", func() { lstm.Run(infer, x, ramp(2), nil, nil) }},
		{"LSTM.Run", fault.ErrShape, "lengths have shape (3,), want (2,)", func() { lstm.Run(infer, x, lengths(1, 2, 3), nil, nil) }},
		{"LSTM.Run", fault.ErrShape, "the cell states have shape (2,5), want (1,2,5)", func() { lstm.Run(infer, x, nil, nil, ramp(2, 5)) }},
		{"LSTM.Run", fault.ErrDType, "the hidden states are int32, want floats", func() { lstm.Run(infer, x, nil, nd.Zeros[int32](1, 2, 5), nil) }},
		{"lstm_inference", fault.ErrDevice, "the operands belong to two engines", func() { lstm.Run(infer, x, nil, states, statesElsewhere) }},
		{"lstm_inference", fault.ErrIndex, "the length of sequence 1 is 5 (legal: from 0 to 4)", func() *nd.Array {
			y, _, _ := lstm.Run(infer, x, lengths(4, 5), nil, nil)
			return y
		}},
		{"GRU.Forward", fault.ErrMisuse, "the array is nil", func() { gru.Forward(infer, nil) }},
		{"linear", fault.ErrReleased, "use after release: the array was released", func() { gru.Forward(infer, released) }},
		{"linear", fault.ErrDevice, "the operands belong to two engines", func() { gru.Forward(infer, elsewhere) }},
		{"GRU.Run", fault.ErrShape, "x has shape (4,), want (samples,times,features)", func() { gru.Run(infer, ramp(4), nil, nil) }},
		{"GRU.Run", fault.ErrShape, "the hidden states have shape (1,3,5), want (1,2,5)", func() { gru.Run(infer, x, nil, ramp(1, 3, 5)) }},
		{"gru_inference", fault.ErrReleased, "use after release: the array was released", func() { gru.Run(infer, x, nil, releasedStates) }},
		{"gru_inference", fault.ErrIndex, "the length of sequence 0 is -1 (legal: from 0 to 4)", func() *nd.Array {
			y, _ := gru.Run(infer, x, lengths(-1, 2), nil)
			return y
		}},
		{"RNN.Forward", fault.ErrShape, "x has shape (2,4,7), want (samples,times,3)", func() { rnn.Forward(infer, ramp(2, 4, 7)) }},
		{"linear", fault.ErrDType, "no arithmetic for complex64 (accepted: [float16 bfloat16 float32 float64])", func() { rnn.Forward(infer, nd.Zeros[complex64](2, 4, 3)) }},
		{"RNN.Run", fault.ErrDType, "lengths are int32, want int64", func() { rnn.Run(infer, x, lengths(1, 2).Cast(dtype.Int32), nil) }},
		{"RNN.Run", fault.ErrDType, "the hidden states are complex64, want floats", func() { rnn.Run(infer, x, nil, states.Cast(dtype.Complex64)) }},
		{"LSTMCell.Step", fault.ErrShape, "x has shape (2,4,3), want (samples,features)", func() { lstmCell.Step(infer, x, nil, nil) }},
		{"LSTMCell.Step", fault.ErrShape, "the cell states have shape (1,2,5), want (2,5)", func() { lstmCell.Step(infer, one, nil, states) }},
		{"LSTMCell.Step", fault.ErrMisuse, "the context is nil", func() { lstmCell.Step(nil, one, nil, nil) }},
		{"LSTMCell.Forward", fault.ErrShape, "x has shape (2,4), want (samples,3)", func() { lstmCell.Forward(infer, ramp(2, 4)) }},
		{"GRUCell.Step", fault.ErrDType, "the hidden states are int64, want floats", func() { gruCell.Step(infer, one, nd.Zeros[int64](2, 5)) }},
		{"linear", fault.ErrReleased, "use after release: the array was released", func() { gruCell.Forward(infer, releasedStep) }},
	}
}
