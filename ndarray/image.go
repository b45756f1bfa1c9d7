package ndarray

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// FromImage returns a new array of the pixels of m, of shape (height, width, channels): one channel for image.Gray and
// image.Gray16, else red, green, blue and alpha; uint16 for images of 16 bits a channel, else uint8. Colours are not multiplied
// by alpha, as in image.NRGBA, even if m has them premultiplied. It panics with *Error if m is nil.
func FromImage(m image.Image) *Array {
	if m == nil {
		fail("FromImage", fault.ErrMisuse, "the image is nil")
	}
	bounds := m.Bounds()
	shape := []int{bounds.Dy(), bounds.Dx(), 4}
	switch m.ColorModel() {
	case color.GrayModel:
		shape[2] = 1
		return made("FromImage", shape, func(pixels []uint8) { readPixels8(pixels, m) })
	case color.Gray16Model:
		shape[2] = 1
		return made("FromImage", shape, func(pixels []uint16) { readPixels16(pixels, m) })
	case color.RGBA64Model, color.NRGBA64Model, color.Alpha16Model:
		return made("FromImage", shape, func(pixels []uint16) { readPixels16(pixels, m) })
	}
	return made("FromImage", shape, func(pixels []uint8) { readPixels8(pixels, m) })
}

// FromImages is FromImage for images of one size and kind, of shape (images, height, width, channels). It panics with *Error if they
// differ, or there are none.
func FromImages(images ...image.Image) *Array {
	if len(images) == 0 {
		fail("FromImages", fault.ErrMisuse, "there are no images")
	}
	arrays := make([]*Array, len(images))
	for i, m := range images {
		arrays[i] = FromImage(m)
		if arrays[i].DType() != arrays[0].DType() {
			fail("FromImages", fault.ErrDType, fmt.Sprintf("image %d has other channels than the first", i), arrays[0], arrays[i])
		}
	}
	return Stack(0, arrays...)
}

// readPixels8 copies the pixels of m, whose colours are grey or as color.NRGBA has them, row by row.
func readPixels8(pixels []uint8, m image.Image) {
	bounds := m.Bounds()
	if bounds.Empty() {
		return
	}
	var rows []uint8 // where they are as wanted
	stride := 0
	switch source := m.(type) {
	case *image.Gray:
		rows, stride = source.Pix[source.PixOffset(bounds.Min.X, bounds.Min.Y):], source.Stride
	case *image.NRGBA:
		rows, stride = source.Pix[source.PixOffset(bounds.Min.X, bounds.Min.Y):], source.Stride
	case *image.RGBA:
		if source.Opaque() { // then there is nothing to divide by
			rows, stride = source.Pix[source.PixOffset(bounds.Min.X, bounds.Min.Y):], source.Stride
		}
	}
	width := len(pixels) / bounds.Dy()
	for y := range bounds.Dy() {
		line := pixels[:width]
		pixels = pixels[width:]
		if rows != nil {
			copy(line, rows[y*stride:])
			continue
		}
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if width == bounds.Dx() {
				line[0] = color.GrayModel.Convert(m.At(x, bounds.Min.Y+y)).(color.Gray).Y
				line = line[1:]
				continue
			}
			c := color.NRGBAModel.Convert(m.At(x, bounds.Min.Y+y)).(color.NRGBA)
			line[0], line[1], line[2], line[3] = c.R, c.G, c.B, c.A
			line = line[4:]
		}
	}
}

// readPixels16 is readPixels8 for 16 bits a channel.
func readPixels16(pixels []uint16, m image.Image) {
	bounds := m.Bounds()
	gray := len(pixels) == bounds.Dx()*bounds.Dy()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if gray {
				pixels[0] = color.Gray16Model.Convert(m.At(x, y)).(color.Gray16).Y
				pixels = pixels[1:]
				continue
			}
			c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
			pixels[0], pixels[1], pixels[2], pixels[3] = c.R, c.G, c.B, c.A
			pixels = pixels[4:]
		}
	}
}

// ToImage returns the image whose pixels are a copy of a, of shape (height, width) or (height, width, channels) with one channel for
// grey, three for red, green and blue, or four with alpha: an *image.Gray or *image.NRGBA for uint8, an *image.Gray16 or *image.NRGBA64
// for uint16. It waits for a, and returns the error that sticks to a. It panics with *Error on another shape or dtype.
func ToImage(a *Array) (image.Image, error) {
	checkNotNil("ToImage", a)
	shape := a.Shape()
	if len(shape) == 2 {
		shape = append(shape, 1)
	}
	if len(shape) != 3 || shape[2] != 1 && shape[2] != 3 && shape[2] != 4 {
		fail("ToImage", fault.ErrShape, "want (height,width) or (height,width,channels) with 1, 3 or 4 channels", a)
	}
	bounds := image.Rect(0, 0, shape[1], shape[0])
	switch gray := shape[2] == 1; a.DType() {
	case dtype.Uint8:
		pixels, err := pixelsOf(a, shape[2], func(pixels []byte, v uint8) []byte { return append(pixels, v) })
		switch {
		case err != nil:
			return nil, err
		case gray:
			return &image.Gray{Pix: pixels, Stride: shape[1], Rect: bounds}, nil
		}
		return &image.NRGBA{Pix: pixels, Stride: 4 * shape[1], Rect: bounds}, nil
	case dtype.Uint16:
		pixels, err := pixelsOf(a, shape[2], binary.BigEndian.AppendUint16)
		switch {
		case err != nil:
			return nil, err
		case gray:
			return &image.Gray16{Pix: pixels, Stride: 2 * shape[1], Rect: bounds}, nil
		}
		return &image.NRGBA64{Pix: pixels, Stride: 8 * shape[1], Rect: bounds}, nil
	}
	fail("ToImage", fault.ErrDType, "no pixels of "+a.DType().String()+" (accepted: uint8, uint16)", a)
	return nil, nil
}

// pixelsOf returns the channels of a, with opaque alpha behind every third where there are three.
func pixelsOf[T uint8 | uint16](a *Array, channels int, put func(pixels []byte, v T) []byte) ([]byte, error) {
	elements, err := Values[T](a)
	if err != nil {
		return nil, err
	}
	pixels := make([]byte, 0, len(elements)/channels*4*a.DType().Size())
	for i, v := range elements {
		pixels = put(pixels, v)
		if channels == 3 && i%3 == 2 {
			pixels = put(pixels, ^T(0))
		}
	}
	return pixels, nil
}
