package cuda

import (
	"errors"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// affine is the kernel of a fully connected layer: x·weight + bias is one call of cuBLASLt where there is one that takes it, and otherwise
// a product and what follows it; see linear.go. Activations follow: those of cuBLASLt are not weft's, of which relu keeps NaN, and gelu is
// not approximated.
type affine struct{ *compound }

// Launch enqueues the layer.
func (k *affine) Launch(s device.Stream, a *device.Arguments) error {
	own, err := k.streamOf(s)
	if err != nil {
		return err
	}
	p, ok := planAffine(a)
	for _, v := range slices.Concat(a.Outputs, a.Inputs) {
		ok = ok && v.Pointer.Address%alignment == 0
	}
	if !ok {
		return k.compound.Launch(s, a)
	}
	algorithm, taken, err := own.unit.chooseAffine(p)
	if err != nil {
		return err
	}
	if !taken {
		return k.compound.Launch(s, a)
	}
	if err := own.unit.affines.lacks(own.unit, algorithm.Workspace, a.ScratchBytes); err != nil {
		return err
	}
	err = own.enqueue(func(c driver.Context) error {
		err := own.useAffine(c)
		if err == nil {
			err = own.affine.Multiply(&p, addressOf(a.Inputs[2]), &algorithm, driver.Address(a.Scratch.Address))
		}
		if err != nil {
			return withHint(driver.LtVariable, err)
		}
		own.launched()
		return nil
	})
	if errors.Is(err, errors.ErrUnsupported) {
		p = anywhere(p)
		own.unit.affines.refused(&p)
		own.unit.refused(err)
		return k.compound.Launch(s, a)
	}
	return err
}

// Scratch returns the bytes of temporary memory for a call.
func (k *affine) Scratch(index int, a *device.Arguments) int {
	bytes := k.compound.Scratch(index, a)
	if p, ok := planAffine(a); ok {
		if u, err := k.backend.unit(index); err == nil {
			if algorithm, taken, err := u.chooseAffine(p); err == nil && taken { // Launch tells of the error
				return max(bytes, algorithm.Workspace)
			}
		}
	}
	return bytes
}

// planAffine returns the product of a layer without an activation, with a factor of 1 and a bias that is added to each row.
func planAffine(a *device.Arguments) (p driver.Product, ok bool) {
	z := a.Outputs[0]
	if z.Count() == 0 || len(a.Inputs) != 3 || a.Integers[0] != 0 || a.Scalars[0] != 1 || z.DType == dtype.Float64 {
		return p, false
	}
	bias, last := a.Inputs[2], len(z.Shape)-1
	for axis, size := range bias.Shape {
		if size > 1 && (axis < last && bias.Strides[axis] != 0 || axis == last && bias.Strides[axis] != 1) {
			return p, false
		}
	}
	rows, x, ok := asMatrices(z, a.Inputs[0])
	if !ok {
		return p, false
	}
	if to := matrixOf(rows); !to.known || to.transposed { // its columns would be rows
		return p, false
	}
	calls, ok := planProduct(&device.Arguments{Outputs: []device.View{rows}, Inputs: []device.View{x, a.Inputs[1]}})
	if !ok || len(calls) != 1 || calls[0].Count != 1 {
		return p, false
	}
	return calls[0], true
}

// anywhere returns p without its addresses.
func anywhere(p driver.Product) driver.Product {
	p.A, p.B, p.C = 0, 0, 0
	return p
}

// chooseAffine returns how cuBLASLt computes p, with addresses that may be others.
func (u *unit) chooseAffine(p driver.Product) (a driver.AffineAlgorithm, taken bool, err error) {
	p = anywhere(p)
	return u.affines.choose(u, &p, driver.LtVariable, func(c driver.Context) (chooser[driver.Product, driver.AffineAlgorithm], error) { return c.NewAffine(0) })
}

// useAffine makes the handle of cuBLASLt of the stream.
func (s *stream) useAffine(c driver.Context) (err error) {
	if s.affine == nil {
		s.affine, err = c.NewAffine(s.handle)
	}
	return err
}
