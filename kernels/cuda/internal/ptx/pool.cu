#include "weft.h"

// Pooling over windows in the last three of five axes. A thread computes an element of the result, whose number in its plane is the
// place of the last operand; the other side, which the window reaches, is an operand whose place is that of the plane. Sums are made in
// float64, in the order of the elements.

// Window is how a pooling moves: integers[0] to [15] are those of kernels/cpu/pool.go. "Inside" is what windows move over, "outside"
// what they make. integers[16] to [18] are the lengths of the axes inside, [19] to [21] those outside, [22] to [24] the strides of
// the side that is an operand.
struct Window {
  int64 kernel[3], stride[3], dilation[3], before[3], after[3], in[3], out[3], next[3];
  bool countPadding;
};

DEVICE Window windowOf(const Arguments &a) {
  Window w;
  for (int i = 0; i < 3; i++) {
    w.kernel[i] = a.integers[i], w.stride[i] = a.integers[3 + i], w.dilation[i] = a.integers[6 + i];
    w.before[i] = a.integers[9 + i], w.after[i] = a.integers[12 + i];
    w.in[i] = a.integers[16 + i], w.out[i] = a.integers[19 + i], w.next[i] = a.integers[22 + i];
  }
  w.countPadding = a.integers[15];
  return w;
}

// over is x / y of numbers that are mostly small, and not negative.
DEVICE int64 over(int64 x, int64 y) {
  if (y == 1) return x;
  if (((x | y) >> 32) == 0) return (uint32)x / (uint32)y;
  return x / y;
}

// Span is the places [lo, hi) of a window that are inside along an axis, and where the first place would be.
struct Span { int64 lo, hi, start; };

DEVICE Span spanOf(const Window &w, int axis, int64 out, int64 length) {
  int64 start = out * w.stride[axis] - w.before[axis], d = w.dilation[axis], rest = length - start;
  Span s = {start >= 0 ? 0 : over(d - 1 - start, d), rest <= 0 ? 0 : over(rest + d - 1, d), start};
  if (s.hi > w.kernel[axis]) s.hi = w.kernel[axis];
  return s;
}

// divisor is what sums along an axis are divided by: the places of the window that count, at least one.
DEVICE double divisorOf(const Window &w, int axis, int64 out) {
  Span s = spanOf(w, axis, out, w.countPadding ? w.in[axis] + w.after[axis] : w.in[axis]);
  int64 count = s.hi - (w.countPadding ? 0 : s.lo);
  return (double)(count > 1 ? count : 1);
}

DEVICE void splitPlane(int64 number, const int64 (&length)[3], int64 (&at)[3]) {
  int64 row = over(number, length[2]);
  at[2] = number - row * length[2];
  at[0] = over(row, length[1]);
  at[1] = row - at[0] * length[1];
}

// eachInside calls body for the places inside of the window at out, in order, with the position in the plane and in the operand.
template <class F> DEVICE void eachInside(const Window &w, const int64 (&out)[3], F body) {
  Span depth = spanOf(w, 0, out[0], w.in[0]), height = spanOf(w, 1, out[1], w.in[1]), width = spanOf(w, 2, out[2], w.in[2]);
  for (int64 i = depth.lo; i < depth.hi; i++) {
    int64 z = depth.start + i * w.dilation[0];
    for (int64 j = height.lo; j < height.hi; j++) {
      int64 y = height.start + j * w.dilation[1];
      for (int64 k = width.lo; k < width.hi; k++) {
        int64 x = width.start + k * w.dilation[2];
        body((z * w.in[1] + y) * w.in[2] + x, z * w.next[0] + y * w.next[1] + x * w.next[2]);
      }
    }
  }
}

// Operands: maxima, positions, data, numbers of the maxima. NaN is above all; of equal ones the first counts.
#define MAX_POOL(T)                                                                                                    \
  KERNEL(each_max_pool_##T) {                                                                                          \
    using C = Computed<T>;                                                                                             \
    Window w = windowOf(a);                                                                                            \
    eachElement<4>(a, [&](uint64, const int64(&at)[4]) {                                                               \
      auto x = elements<T>(a, 2) + at[2];                                                                              \
      int64 out[3];                                                                                                    \
      splitPlane(at[3], w.out, out);                                                                                   \
      C best = -(C)__builtin_inf();                                                                                    \
      int32 index = -1;                                                                                                \
      eachInside(w, out, [&](int64 position, int64 from) {                                                             \
        C v = x[from];                                                                                                 \
        if (index < 0 || (!(v <= best) && best == best)) {                                                             \
          best = v;                                                                                                    \
          index = (int32)position;                                                                                     \
        }                                                                                                              \
      });                                                                                                              \
      elements<T>(a, 0)[at[0]] = best;                                                                                 \
      start<int32>(a, 1)[at[1]] = index;                                                                               \
    });                                                                                                                \
  }
MAX_POOL(float16) MAX_POOL(bfloat16) MAX_POOL(float32) MAX_POOL(float64)

// Maxima that are not above zero become zero, and are nowhere.
#define RECTIFY(op, T)                                                                                                 \
  KERNEL(each_rectify_##T) {                                                                                           \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) {                                                               \
      T *y = start<T>(a, 0) + at[0];                                                                                   \
      if (!(*y <= 0)) return;                                                                                          \
      *y = 0;                                                                                                          \
      start<int32>(a, 1)[at[1]] = -1;                                                                                  \
    });                                                                                                                \
  }
RECTIFY(, float32) RECTIFY(, float64)

// Operands: means, data, numbers of the means.
#define AVERAGE_POOL(T)                                                                                                \
  KERNEL(each_average_pool_##T) {                                                                                      \
    using C = Computed<T>;                                                                                             \
    Window w = windowOf(a);                                                                                            \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      auto x = elements<T>(a, 1) + at[1];                                                                              \
      int64 out[3];                                                                                                    \
      splitPlane(at[2], w.out, out);                                                                                   \
      double sum = 0;                                                                                                  \
      eachInside(w, out, [&](int64, int64 from) { sum += (double)x[from]; });                                          \
      double count = divisorOf(w, 0, out[0]) * divisorOf(w, 1, out[1]) * divisorOf(w, 2, out[2]);                      \
      elements<T>(a, 0)[at[0]] = (C)(sum / count);                                                                     \
    });                                                                                                                \
  }
AVERAGE_POOL(float16) AVERAGE_POOL(bfloat16) AVERAGE_POOL(float32) AVERAGE_POOL(float64)

// windowsOver calls body for the windows along an axis that an element is inside of, backwards or the first to come first.
template <class F> DEVICE void windowsOver(const Window &w, int axis, int64 in, bool backwards, F body) {
  int64 last = in + w.before[axis], reach = (w.kernel[axis] - 1) * w.dilation[axis];
  int64 lo = last <= reach ? 0 : over(last - reach + w.stride[axis] - 1, w.stride[axis]), hi = over(last, w.stride[axis]);
  if (hi >= w.out[axis]) hi = w.out[axis] - 1;
  for (int64 i = lo; i <= hi; i++) {
    int64 out = backwards ? hi - (i - lo) : i;
    int64 place = over(last - out * w.stride[axis], w.dilation[axis]);
    if (place * w.dilation[axis] + out * w.stride[axis] == last) body(out);
  }
}

// Operands: the gradient of data, the upstream gradient, numbers of the data. Along the last axis the CPU takes place by place of the
// windows, and so the last window first, unless they have more places than there are elements.
#define AVERAGE_POOL_GRADIENT(T)                                                                                       \
  KERNEL(each_average_pool_gradient_##T) {                                                                             \
    using C = Computed<T>;                                                                                             \
    Window w = windowOf(a);                                                                                            \
    bool backwards = w.kernel[2] <= w.in[2];                                                                           \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      auto u = elements<T>(a, 1) + at[1];                                                                              \
      int64 in[3];                                                                                                     \
      splitPlane(at[2], w.in, in);                                                                                     \
      double sum = 0;                                                                                                  \
      windowsOver(w, 0, in[0], false, [&](int64 z) {                                                                   \
        windowsOver(w, 1, in[1], false, [&](int64 y) {                                                                 \
          double area = divisorOf(w, 0, z) * divisorOf(w, 1, y);                                                       \
          windowsOver(w, 2, in[2], backwards, [&](int64 x) {                                                           \
            sum += (double)u[z * w.next[0] + y * w.next[1] + x * w.next[2]] / (area * divisorOf(w, 2, x));             \
          });                                                                                                          \
        });                                                                                                            \
      });                                                                                                              \
      elements<T>(a, 0)[at[0]] = (C)sum;                                                                               \
    });                                                                                                                \
  }
AVERAGE_POOL_GRADIENT(float16) AVERAGE_POOL_GRADIENT(bfloat16) AVERAGE_POOL_GRADIENT(float32) AVERAGE_POOL_GRADIENT(float64)
