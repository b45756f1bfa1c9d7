package convolution

import "unsafe"

// Small images of a large batch are computed as many at a time as a vector has lanes, each in a lane of its own: in planes and sums their
// elements lie side by side. So no vector is filled in part or lies on two lines of the cache, and nothing is computed between rows. Images
// are transposed on their way to the planes, and sums on their way to the result.

// canBeAbreast tells whether images may be computed so many at a time: if no tap meets padding, and the elements of a
// channel follow each other and are at least as many as a square has rows.
func (s *Shape) canBeAbreast(o *Operands, lanes int) bool {
	if s.Axes[0] != NoAxis || s.Batch%lanes != 0 || s.results() < lanes {
		return false
	}
	for _, a := range s.Axes[1:] {
		if a.Stride != 1 || a.Before != 0 || a.Result+(a.Kernel-1)*a.Dilation > a.Data {
			return false
		}
	}
	isDense := func(x *Tensor, row int) bool { return x.Strides[4] == 1 && x.Strides[3] == row }
	return isDense(&o.Data, s.Axes[2].Data) && isDense(&o.Result, s.Axes[2].Result)
}

// computeAbreast does the unit of a group of some images.
func (p *pass[T]) computeAbreast(group, image int, t *tile, weights, memory unsafe.Pointer) {
	f, size, c := p.family, sizeOf[T](), &p.combinations[0]
	sums := unsafe.Add(memory, p.planeBytes)
	read, write := p.read.Strides, p.write.Strides

	src := unsafe.Add(p.read.Start, (image*read[0]+group*p.inner*read[1])*size)
	elements := p.extent[1] * p.routes[2].length
	plane := p.channel() * size
	for channel := range p.inner {
		f.transpose(unsafe.Add(memory, channel*plane), unsafe.Add(src, channel*read[1]*size), f.lanes*size, read[0]*size, elements/f.lanes)
		if elements%f.lanes > 0 {
			last := elements - f.lanes // Some are copied twice.
			f.transpose(unsafe.Add(memory, channel*plane+last*f.lanes*size), unsafe.Add(src, (channel*read[1]+last)*size), f.lanes*size, read[0]*size, 1)
		}
	}

	rows, columns := c.classes[1].count, c.classes[2].count*f.lanes
	for row := range rows {
		p.family.sumAll(t, c.steps, weights, unsafe.Add(memory, row*p.extent[2]*size), unsafe.Add(sums, row*columns*size), lines{}, p.outer, columns)
	}

	elements = rows * c.classes[2].count
	for channel := range p.outer {
		from := unsafe.Add(sums, channel*p.sumRow)
		number := group*p.outer + channel
		if p.bias != nil {
			line := lines{from, 0, size}
			addLines(f, line, line, elements*f.lanes, 1, (*T)(unsafe.Add(unsafe.Pointer(p.bias), number*p.biasStride*size)))
		}
		dst := unsafe.Add(p.write.Start, (image*write[0]+number*write[1])*size)
		for first := 0; first < elements; first += f.lanes {
			at := min(first, elements-f.lanes) // Some are copied twice.
			f.transpose(unsafe.Add(dst, at*size), unsafe.Add(from, at*f.lanes*size), write[0]*size, f.lanes*size, 1)
		}
	}
}

// transpose copies squares of as many elements as a vector has, which follow each other in the rows of src, to rows of dst.
func (f *family[T]) transpose(dst, src unsafe.Pointer, dstStep, srcStep, count int) {
	if f.turn != nil {
		if count > 0 {
			f.turn((*byte)(dst), (*byte)(src), dstStep, srcStep, count)
		}
		return
	}
	size := sizeOf[T]()
	for i := range f.lanes * count {
		for j := range f.lanes {
			*(*T)(unsafe.Add(dst, i*dstStep+j*size)) = *(*T)(unsafe.Add(src, j*srcStep+i*size))
		}
	}
}
