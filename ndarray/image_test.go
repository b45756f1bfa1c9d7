package ndarray_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// drawn is an image that can be drawn on.
type drawn interface {
	image.Image
	Set(x, y int, c color.Color)
}

// painted returns m with random colours, some of them transparent.
func painted(m drawn) image.Image {
	random := rand.New(rand.NewPCG(1, 2))
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			m.Set(x, y, color.NRGBA64{R: uint16(random.Uint32()), G: uint16(random.Uint32()), B: uint16(random.Uint32()), A: uint16(random.Uint32() % 3 * 0x7fff)})
		}
	}
	return m
}

func TestPixelsAreTheColoursNotMultipliedByAlpha(t *testing.T) {
	bounds := image.Rect(-2, 3, 5, 8)
	parts := func(m drawn) image.Image {
		painted(m)
		return m.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(-1, 4, 4, 7))
	}
	opaque := image.NewRGBA(bounds)
	for i := range opaque.Pix {
		opaque.Pix[i] = uint8(255 - i%4*(i%4-3)*i) // every fourth is 255
	}
	for name, m := range map[string]image.Image{
		"nrgba": painted(image.NewNRGBA(bounds)), "rgba": painted(image.NewRGBA(bounds)), "opaque": opaque, "part": parts(image.NewNRGBA(bounds)),
		"paletted": painted(image.NewPaletted(bounds, color.Palette{color.Black, color.NRGBA{200, 100, 50, 25}})), "cmyk": painted(image.NewCMYK(bounds)),
		"ycbcr": image.NewYCbCr(bounds, image.YCbCrSubsampleRatio420), "alpha": painted(image.NewAlpha(bounds)), "rectangle": bounds,
		"nrgba64": painted(image.NewNRGBA64(bounds)), "rgba64": painted(image.NewRGBA64(bounds)), "alpha16": painted(image.NewAlpha16(bounds)),
		"gray": painted(image.NewGray(bounds)), "gray part": parts(image.NewGray(bounds)), "gray16": painted(image.NewGray16(bounds)), "empty": image.NewGray(image.Rect(1, 1, 1, 4)),
	} {
		a := nd.FromImage(m)
		size := m.Bounds().Size()
		require.Equal(t, []int{size.Y, size.X}, a.Shape()[:2], name)
		wide := a.DType() == dtype.Uint16
		back, err := nd.ToImage(a)
		require.NoError(t, err)
		for y := range size.Y {
			for x := range size.X {
				source := m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y)
				want := color.Color(color.NRGBAModel.Convert(source))
				switch {
				case a.Shape()[2] == 1:
					want = source
				case wide:
					want = color.NRGBA64Model.Convert(source)
				}
				require.Equal(t, want, back.At(x, y), "%s at %d,%d", name, x, y)
			}
		}
		if size.X > 0 {
			var file bytes.Buffer
			require.NoError(t, png.Encode(&file, back))
			decoded, err := png.Decode(&file)
			require.NoError(t, err)
			require.Equal(t, a.String(), nd.FromImage(decoded).String(), name)
		}
	}
}

func TestImagesOfThreeChannelsAreOpaqueAndBatchesAreStacked(t *testing.T) {
	m, err := nd.ToImage(nd.FromSlice([]uint8{1, 2, 3, 4, 5, 6}, 1, 2, 3))
	require.NoError(t, err)
	require.Equal(t, &image.NRGBA{Pix: []uint8{1, 2, 3, 255, 4, 5, 6, 255}, Stride: 8, Rect: image.Rect(0, 0, 2, 1)}, m)
	m, err = nd.ToImage(nd.FromSlice([]uint16{1, 0x203}, 2, 1))
	require.NoError(t, err)
	require.Equal(t, &image.Gray16{Pix: []uint8{0, 1, 2, 3}, Stride: 2, Rect: image.Rect(0, 0, 1, 2)}, m)
	one, two := painted(image.NewNRGBA(image.Rect(0, 0, 3, 2))), painted(image.NewRGBA(image.Rect(5, 5, 8, 7)))
	batch := nd.FromImages(one, two)
	require.Equal(t, []int{2, 2, 3, 4}, batch.Shape())
	back, err := nd.ToImage(batch.Index(0))
	require.NoError(t, err)
	require.Equal(t, one, back)
	failed := nd.Zeros[uint8](2, 2).Take(nd.FromSlice([]int64{5}), 0)
	_, err = nd.ToImage(failed)
	require.ErrorIs(t, err, fault.ErrIndex)
}

func TestWhatIsNoImageIsAMistake(t *testing.T) {
	require.ErrorIs(t, mistake(t, func() { nd.FromImage(nil) }), fault.ErrMisuse)
	require.ErrorIs(t, mistake(t, func() { nd.FromImages() }), fault.ErrMisuse)
	require.ErrorIs(t, mistake(t, func() { nd.FromImages(image.NewGray(image.Rect(0, 0, 1, 1)), image.NewGray16(image.Rect(0, 0, 1, 1))) }), fault.ErrDType)
	require.ErrorIs(t, mistake(t, func() { nd.FromImages(image.NewGray(image.Rect(0, 0, 1, 1)), image.NewGray(image.Rect(0, 0, 2, 1))) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { _, _ = nd.ToImage(nd.Zeros[uint8](2, 2, 2)) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { _, _ = nd.ToImage(nd.Zeros[uint8](2)) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { _, _ = nd.ToImage(floats(2, 2)) }), fault.ErrDType)
}
