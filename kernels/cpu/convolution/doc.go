// Package convolution computes convolutions of images with 1 to 3 spatial axes, as neural networks have them, and their
// gradients, for float32 and float64. (The filters are not mirrored: mathematicians call it correlation.)
//
// # How
//
// No matrix of patches is made. The part of an image that a piece of the result needs is copied once to planes in a worker's
// temporary memory, where there is padding around it and every stride has become 1: elements that a stride skips go to planes
// of their own, one for each phase of the stride. There the element that a filter's element meets is at a constant distance
// for all of the result, so that a kernel walks a list of distances, one for each element of a filter, and multiplies vectors of
// adjacent elements of the planes (Dukhan, "The indirect convolution algorithm", 2019). A row of the result is followed by
// some elements of no meaning, up to the next one's beginning, which are computed as well and never written; where rows are so
// short that this takes longer than copies do, there are planes for each column of the filters, without such elements. Kernels write
// such results, and rows that are whole vectors, where they are to lie.
// Of many small images without padding each has a lane of the vectors for itself: they are transposed to planes where as many images as a
// vector has lanes lie side by side, element by element, and their sums are transposed back.
//
// The gradient of the data is the same over planes of the result's gradient, with a stride's phases on the side of what is
// written; it is the transposed convolution, too. For the gradient of the weights the result's gradient is transposed, so that
// filters are adjacent; elements of the planes are multiplied with vectors of filters.
//
// Planes of small images with padding have several times the elements of the result. The gradient of their data is folded: the
// result's gradient is multiplied with the weights as matrices, and the products for each element of a filter are added where
// they belong (the matrix of patches backwards), of a few channels at a time, which stay in the first cache.
//
// A gradient that is zero but where maxima of windows have been is never made dense. The elements of an image that a filter meets are
// copied side by side, as a patch for each pixel of the result, where patches overlap along one axis. The gradient of a filter is the
// sum of the patches that it has chosen, each times its element, and what is added to a patch is the sum of the filters that have
// chosen it: a quarter of the products, for windows of two by two.
//
// Pointwise convolutions are products of matrices, of package gemm; the last pixels of images, which fill no panel of
// a product, are multiplied side by side with those of other images. Where a filter meets all of an image at once,
// images and filters are the rows of two matrices, whose products results and gradients are. Filters of 3 by 3
// elements, without stride and dilation, of 16 or more channels to 16 or more filters are computed by Winograd's
// minimal filtering F(2×2,3×3), and so are the gradients of their data: with 4 multiplications for every 9. The
// gradient of such filters is computed by F(3×3,2×2), with as many, where there are 48 tiles or more, in rows of 4 to
// 256: tiles of the result's gradient are transformed to the size of those of the data, and for each element of the
// transforms products are summed over all tiles, as the gradient of weights is otherwise. Depthwise filters of 3 by 3
// elements, and their gradients, have kernels that read images where they lie. Where vectors of filters would be all
// but empty, as they are for depthwise convolutions, the gradient of the weights is made of dot products of the rows
// of the result's gradient with those of the planes.
//
// # Bits
//
// A result is the same bits for every number of threads, every instruction set, with assembly or without, and for any
// strides. The terms of a sum are in the order of channels (filters for the gradient of the data) and then of the
// filter's elements, those with padding, which is zeros, included. They are cut into blocks of at most 2048 bytes, as
// even as can be; within a block a sum is a chain of fused multiply-adds from zero, and blocks are added in order, as
// package gemm does, which computes filters of one element, and those that meet all of an image at once, and has
// eight chains where a product of those has a single row or column. Sums over the result, in the gradient of the
// weights, are cut by bands of rows, or some hundred tiles, that depend on the shape alone; dot products have a chain
// for each element of a block of 64 bytes, which are added by halves in the end; that of depthwise filters of 3 by 3
// elements goes down the rows of one block of columns after the other. The payload of a NaN is not determined.
//
// # Errors
//
// Sums of n terms err by at most n+1 roundings of the sum of their terms' magnitudes, and usually by much less. Winograd's
// minimal filtering adds and subtracts elements of the data before it multiplies, and products after; its chains are as long as
// there are channels alone. It errs about as much as a chain over all terms does, in units of the magnitudes of a whole tile.
// What is not finite, or overflows when four of its kind are added, reaches all four results of a tile, as NaN where
// infinities are subtracted; of the gradient of the weights, all nine of a filter and a channel.
// What is not finite in a sparse gradient may reach elements of the data beside those that it meets, as NaN; what is zero in it reaches
// nothing.
//
// # Contract
//
// A function runs in the calling goroutine and in the workers that join it through its parallel.Thread. What is written
// overlaps nothing that is read. Nothing is checked: that is the caller's.
package convolution
