package convolution

import "unsafe"

// writesWhole tells whether sums have nothing between rows, or rows of whole vectors that kernels hardly exceed: they can write the result
// themselves then.
func (p *pass[T]) writesWhole() bool {
	columns := p.routes[2].count
	if !p.forward || p.streams || p.stages {
		return false
	}
	step := p.family.lanes
	if k := p.family.first(p.outer); k.wide == nil {
		step = p.family.width(k, columns)
	}
	computed := roundUp(columns, step)
	return p.extent[2] == columns || columns*sizeOf[T]()%lineBytes == 0 && computed <= columns+columns/4
}

// isDirect tells whether kernels write the result where it is to lie.
func (p *pass[T]) isDirect() bool {
	columns, strides := p.routes[2].count, &p.write.Strides
	return p.writesWhole() && strides[4] == 1 && (p.extent[2] != columns || strides[3] == columns)
}

// sumDirectly computes so many rows of so many channels of the result from the index at on. Of what does not fill a vector the sums are
// in temporary memory first.
func (p *pass[T]) sumDirectly(t *tile, c *combination, weights, planes, sums unsafe.Pointer, at [5]int, channels, rows int) {
	size, strides, columns := sizeOf[T](), &p.write.Strides, p.routes[2].count
	start := 0
	for axis, i := range at {
		start += i * strides[axis]
	}
	to := lines{unsafe.Add(p.write.Start, start*size), strides[1] * size, size}
	if p.extent[2] == columns {
		p.family.sumAll(t, c.steps, weights, planes, sums, to, channels, rows*columns)
	} else {
		for row := range rows {
			line := lines{unsafe.Add(to.start, row*strides[3]*size), to.row, size}
			p.family.sumAll(t, c.steps, weights, unsafe.Add(planes, row*p.extent[2]*size), sums, line, channels, columns)
		}
	}
	if p.bias == nil {
		return
	}
	for channel := range channels {
		line := lines{unsafe.Add(to.start, channel*to.row), strides[3] * size, size}
		addLines(p.family, line, line, columns, rows, (*T)(unsafe.Add(unsafe.Pointer(p.bias), (at[1]+channel)*p.biasStride*size)))
	}
}
