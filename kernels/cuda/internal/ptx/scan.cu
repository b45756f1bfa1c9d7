#include "weft.h"

// Cumulative operators along the last axis, a block for each line, in the order of kernels/cpu/scan.go: within pieces of 1024 elements one
// after the other, and to each of these is joined what all pieces before have given. A thread takes a piece: first for its total, then,
// when those are joined, for the results.

enum { scanBlock = 1024 };

template <class A> DEVICE A cumsum_(A x, A y) { return x + y; }
template <class A> DEVICE A cumprod_(A x, A y) { return x * y; }
// Complex is a complex number; its products are rounded one by one.
template <class T> struct Complex {
  T re, im;
  MEMBER Complex operator+(Complex y) const { return {re + y.re, im + y.im}; }
  MEMBER Complex operator*(Complex y) const { return {re * y.re - im * y.im, re * y.im + im * y.re}; }
};
typedef Complex<float> complex64;
typedef Complex<double> complex128;

template <class A> DEVICE A cummax_(A x, A y) { return x != x ? x : x == y && x == 0 ? (A)(x + y) : x > y ? x : y; }
template <class A> DEVICE A cummin_(A x, A y) { return x != x ? x : x == y && x == 0 ? (A)-(-x - y) : x < y ? x : y; }

// piece joins the elements of a piece, and calls body for the number and the join of each.
template <class A, class T, class J, class F> DEVICE A piece(const T *x, int64 stride, uint64 number, uint64 length, J join, F body) {
  uint64 first = number * scanBlock, end = length - first < scanBlock ? length : first + scanBlock;
  A joined = (A)load(x + (int64)first * stride);
  body(first, joined);
  for (uint64 i = first + 1; i < end; i++) {
    joined = join(joined, (A)load(x + (int64)i * stride));
    body(i, joined);
  }
  return joined;
}

template <class T, class A, class R, class J> DEVICE void scan(const Arguments &a, J join) {
  SHARED(A, totals, maxThreads);
  SHARED(A, befores, maxThreads); // what the pieces before have given
  uint64 length = a.inner, pieces = (length + scanBlock - 1) / scanBlock;
  int64 to = a.operands[0].strides[a.outerAxes], from = a.operands[1].strides[a.outerAxes];
  R *results = start<R>(a, 0);
  const T *elements = start<T>(a, 1);
  eachBlock<2>(a, [&](const int64(&at)[2]) {
    R *y = results + at[0];
    const T *x = elements + at[1];
    A before = {};
    for (uint64 first = 0; first < pieces; first += threads()) {
      together([&](unsigned t) {
        if (first + t < pieces) totals[t] = piece<A>(x, from, first + t, length, join, [](uint64, A) {});
      });
      together([&](unsigned t) {
        if (t > 0) return;
        for (unsigned k = 0; k < threads() && first + k < pieces; k++) {
          befores[k] = before;
          before = first + k > 0 ? join(totals[k], before) : totals[k];
        }
      });
      together([&](unsigned t) {
        if (first + t < pieces) {
          bool raised = first + t > 0;
          A own = befores[t];
          piece<A>(x, from, first + t, length, join, [&](uint64 i, A v) { store(y + (int64)i * to, raised ? join(v, own) : v); });
        }
      });
    }
  });
}

#define SCAN(op, T, A, R) \
  KERNEL(row_##op##_##T) { scan<T, A, R>(a, [](A x, A y) { return op##_(x, y); }); }

#define SCAN_FLOATS(op) SCAN(op, float16, float, float16) SCAN(op, bfloat16, float, bfloat16) SCAN(op, float32, float, float) SCAN(op, float64, double, double)

// Sums and products of integers have 64 bits.
#define TO_WIDE(op, T) SCAN(op, T, int64, int64)
#define TO_SAME(op, T) SCAN(op, T, T, T)

SCAN_FLOATS(cumsum) INTEGERS(TO_WIDE, cumsum) TO_WIDE(cumsum, bool)
SCAN_FLOATS(cumprod) INTEGERS(TO_WIDE, cumprod) TO_WIDE(cumprod, bool)
SCAN_FLOATS(cummax) INTEGERS(TO_SAME, cummax) SCAN(cummax, bool, uint8, bool)
SCAN_FLOATS(cummin) INTEGERS(TO_SAME, cummin) SCAN(cummin, bool, uint8, bool)

#define COMPLEX(op) SCAN(op, complex64, complex64, complex64) SCAN(op, complex128, complex128, complex128)
COMPLEX(cumsum) COMPLEX(cumprod)
