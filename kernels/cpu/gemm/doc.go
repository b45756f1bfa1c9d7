// Package gemm multiplies matrices of float32 or float64: C = alpha*A*B + beta*C, one product or a batch of them;
// and of integers, and of bfloat16 where the processor has AMX or AVX512_BF16.
//
// Operands are views with any strides, so that transposes and parts of larger matrices need no copy; the elements of C are
// adjacent along its rows or along its columns.
//
// # How
//
// A kernel computes a tile of C whose sums stay in registers. Its matrices lie where they lie if they are small and B
// has adjacent columns; otherwise B is packed to panels as wide as a tile, and A to blocks that fit in a part of the
// second cache (Goto, van de Geijn, "Anatomy of high-performance matrix multiplication", 2008). Few rows of A meet a
// large B where it lies: tiles fetch the rows of the panel that is read, or packed, next, which are too far apart for the
// processor to do so. Few rows meet a B whose columns are adjacent along k where it lies, too: tiles transpose it as they read it.
// Some more rows, which fill vectors, are multiplied as the columns of the transposed product, whose result is
// transposed in the end. Rows of A that share a set of the first cache, being a multiple of 4096 bytes apart, are
// packed, or cut into tiles of no more rows than the set has places. What a unit packs next of a large B is fetched
// while it multiplies the panel before; of rows of B it packs several panels at a time. Elements of int8 and bfloat16
// are packed as words of two or four that follow each other along k; AMX reads rows of A where they lie, and columns of
// B that are adjacent along k as rows of the transposed product, which it transposes when it writes them;
// a large B that few rows meet is packed in parts, which are multiplied while the second cache has them. Where B is read as halves (Source) it is cast as
// it is packed. The rows of a product are cut into tiles as evenly as can be, with a kernel for every height, and
// masks cut the last columns: nothing is padded. Vectors of AVX-512 hold four rows of the last columns if these are
// four or fewer. A single row or column has kernels of its own, which read the other matrix once, whichever of its
// axes is the adjacent one.
//
// # Bits
//
// An element of C is the same bits for every number of threads, every instruction set, with assembly or without, and
// for any strides. The sum over k is cut into blocks of at most 512 steps, as even as can be; within a block it is a
// chain of fused multiply-adds from zero, in the order of k; and the blocks are added to C, in order, by C = fma(beta,
// C, alpha*sum), with beta = 1 from the second block on. A row of C is thus the same whatever other rows there are, if
// there are some, and blocks may be computed at the same time (those of products of few elements and many terms are,
// and of some by the weight of a layer).
//
// Where C has a single row or column, a block is the sum of eight chains without fusing, each of every eighth term, from which vectors
// can be filled whether the terms of an element are adjacent or those of different elements: a chain for each element would wait for
// itself, or for vectors to be transposed. Chains s0 to s7 are joined as ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7)). A single element
// has blocks of 16384. The payload of a NaN is not determined.
//
// What follows a product (Finish: added matrices, a rectified or any other function of the elements) is done to each tile
// when it is complete, while it is in the cache, and gives the bits that it would give afterwards.
//
// Products of integers are exact but for the bits that do not fit, and so the same everywhere. Those of bfloat16 have
// the bits of the instructions that compute them (Intel, "64 and IA-32 Architectures Software Developer's Manual",
// volume 2), which depend on the matrices alone; subnormal numbers, in matrices and in all that the instructions
// compute, are zero. By TDPBF16PS of AMX there are for each 32 terms two chains of fused multiply-adds of float32, of
// the even terms and of the odd ones, from zero; their sum is added to that of the terms before. By VDPBF16PS of
// AVX512_BF16, which is for processors that have that alone (Zen 4, Zen 5 and Cooper Lake), a block of k is one chain,
// in which of each two terms the odd one comes first; blocks, of at most 512 pairs of terms, are added as others are.
// Where there is neither (HasBFloat16), and where C has a single row or column, callers multiply matrices of float32
// instead, or what is read as that (Source), which gives the common bits. WEFT_CPU_KERNELS=nobfloat16 makes a processor
// one without.
//
// # Contract
//
// A product runs in the calling goroutine and in the workers that join it through its parallel.Thread. C overlaps neither A,
// B nor itself. If K or alpha is zero A and B are not read, and if beta is zero C is not read, as in the reference BLAS.
// Products may run at the same time on different outputs. With enough temporary memory nothing is allocated but a few
// words for a product that is divided along k, and a row or column for one whose elements of C are not adjacent.
//
// # Not here
//
// There is no assembly for arm64. Nothing is checked: that is the caller's.
package gemm
