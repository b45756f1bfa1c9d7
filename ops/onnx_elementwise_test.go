package ops

// onnxPow has the element type of the base.
func onnxPow(c onnxCall) *Tensor { return casted(Invoke(Pow, nil, c.in...)[0], c.in[0].DType()) }

// onnxClip has bounds that may be left out.
func onnxClip(c onnxCall) *Tensor {
	x := c.in[0]
	for len(c.in) < 3 {
		c.in = append(c.in, nil)
	}
	switch low, high := c.in[1], c.in[2]; {
	case low != nil && high != nil:
		return Invoke(Clamp, nil, x, low, high)[0]
	case low != nil:
		return Invoke(Maximum, nil, x, low)[0]
	case high != nil:
		return Invoke(Minimum, nil, x, high)[0]
	}
	return x
}

func onnxTriangle(c onnxCall) *Tensor {
	diagonal := 0
	if offset, given := c.list(1, ""); given {
		diagonal = offset[0]
	}
	op := Tril
	if c.integer("upper", 1) != 0 {
		op = Triu
	}
	return Invoke(op, TriangleParams{diagonal}, c.in[0])[0]
}
