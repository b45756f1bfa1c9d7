package nn

import nd "github.com/weft-nd/weft/ndarray"

// BiasOption is an option of all layers that add biases, which [Unbiased] gives.
type BiasOption struct{}

// Unbiased leaves out the bias of a Dense layer or a convolution, or those of attention or a recurrent layer. Before a normalisation, which
// takes means away, a bias learns nothing.
func Unbiased() BiasOption { return BiasOption{} }

func (BiasOption) ofWindows(w *windows) { w.unbiased = true }

func (BiasOption) ofRecurrent(r *recurrent) { r.unbiased = true }

func (BiasOption) ofAttention(a *MultiHeadAttention) { a.unbiased = true }

// clearBias sets a bias to zero, unless there is none.
func clearBias(env *nd.Env, bias *nd.Array) {
	if bias != nil {
		nd.CopyInto(bias, nd.ZerosIn(env, bias.DType(), bias.Shape()...))
	}
}
