#include "clip.cuh"

// Norms of many arrays, and their scaling where the norm of all is too large.

// part returns the array that a block has a part of, and the elements of that.
DEVICE const Clipped &part(const Clip &c, uint64 &begin, uint64 &end) {
  uint64 own = block();
  int low = 0, high = (int)c.arrays - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (c.array[middle].first <= own) low = middle;
    else high = middle - 1;
  }
  begin = (own - c.array[low].first) * clipChunk;
  end = c.array[low].count;
  if (end - begin > clipChunk) end = begin + clipChunk;
  return c.array[low];
}

// partNorm gives the norm of the part of the block its place, of squares that are summed in an order that depends on counts alone. Squares
// of float64 that are beyond all numbers, or may lack digits, are summed again, as those of elements times a power of two.
template <class T> DEVICE void partNorm(const Clip &c) {
  uint64 begin, end;
  const T *p = (const T *)part(c, begin, end).start;
  SHARED(double, all, clipThreads);
  auto squares = [&](double scale) {
    double sum = 0;
    for (uint64 i = begin + thread(); i < end; i += clipThreads) {
      double v = load(p + i);
      if (sizeof(T) == sizeof(double)) v *= scale;
      sum += v * v;
    }
    all[thread()] = sum;
    for (unsigned half = clipThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (thread() < half) all[thread()] += all[thread() + half];
    }
    __syncthreads();
    double total = all[0];
    __syncthreads(); // before they are written again
    return total;
  };
  double total = squares(1), scale = 1;
  if constexpr (sizeof(T) == sizeof(double)) {
    if (total == __builtin_inf()) scale = 0x1p-600;
    if (total < 0x1p-900) scale = 0x1p600;
    if (scale != 1) total = squares(scale);
  }
  if (thread() == 0) c.norms[block()] = __builtin_sqrt(total) / scale;
}

// limited multiplies by a factor of the element type.
template <class T> DEVICE void limited(const Clip &c) {
  double norm = *c.norms;
  if (norm <= c.most) return;
  T rounded;
  store(&rounded, (Computed<T>)(c.most / norm));
  Computed<T> factor = load(&rounded);
  uint64 begin, end;
  T *p = (T *)part(c, begin, end).start;
  for (uint64 i = begin + thread(); i < end; i += threads()) store(p + i, (Computed<T>)(load(p + i) * factor));
}

#define CLIPS(op, T)                                \
  GROUP_KERNEL(group_norms_##T) { partNorm<T>(c); } \
  GROUP_KERNEL(group_limits_##T) { limited<T>(c); }
FLOATS(CLIPS, )
