package conquer

import "math"

// Turn is the rotation of two axes that makes the first of two elements of z zero, and what becomes of the values on the diagonal.
type Turn struct {
	Cosine, Sine  float64
	Size          float64 // the other element of z
	First, Second float64 // the values
	Beside        float64 // the size of the element beside them
}

// TurnOf returns the rotation for two elements of z and their values.
func TurnOf(z0, z1, d0, d1 float64) (t Turn) {
	t.Size = math.Hypot(z0, z1)
	c, s := z1/t.Size, -z0/t.Size
	t.Cosine, t.Sine, t.Beside = c, s, math.Abs(float64(float64((d1-d0)*c)*s))
	t.First = float64(float64(d0*c)*c) + float64(float64(d1*s)*s)
	t.Second = float64(float64(d0*s)*s) + float64(float64(d1*c)*c)
	return t
}
