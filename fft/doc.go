// Package fft has the discrete Fourier transforms of arrays, as numpy.fft and torch.fft do.
//
//	spectrum := fft.RFFT(signal)                            // along the last axis
//	spectrum = fft.FFT(x, fft.Along(0), fft.Lengths(1024))  // cut, or with zeros behind
//	image = fft.IRFFT2(fft.RFFT2(image).Mul(filter), fft.Lengths(rows, columns))
//
// The transform X of n numbers x, and the inverse, are
//
//	X[k] = Σ x[j]·exp(−2πi·jk/n), x[j] = 1/n·Σ X[k]·exp(2πi·jk/n), 0 ≤ j, k < n
//
// along each of the axes; Normed tells where else the factor may go.
//
//   - FFT, FFT2, FFTN and the inverse IFFT, IFFT2, IFFTN take and give complex numbers. Real ones are taken for complex ones.
//   - RFFT, RFFT2, RFFTN take real numbers, and IRFFT, IRFFT2, IRFFTN give them, in half the time and memory: of the n numbers along the last of
//     the axes there are the first n/2+1, and number n−k is conjugate to number k.
//   - HFFT and IHFFT are those for signals that are conjugate to their mirror image, whose transform is real.
//   - Frequencies and RealFrequencies tell what number k stands for; Shift and InverseShift put frequency 0 in the middle.
//
// Functions with 2 in their names go over the last two axes, those with N over all, others along the last, unless Along tells otherwise.
//
// # Element types
//
// Transforms of float32, float16, bfloat16 and complex64 are computed in float32, and are complex64, or float32 where
// they are real. All others are computed in float64. Errors grow as the logarithm of the length, for every length, and
// no length takes more than O(n·log n) operations.
//
// # Gradients
//
// All have gradients of any order: transforms with exponents of the other sign and the same factor. Package autograd
// tells what the gradient of complex numbers is.
//
// # Concurrency
//
// Every function returns at once and may be called from any goroutine. A mistaken call panics with *nd.Error, which names the function,
// the axis, and what is legal. Lines of a batch, and the parts of a long line, are shared by the workers; results do not depend on how many
// there are. GPUs leave transforms to the CPU.
package fft
