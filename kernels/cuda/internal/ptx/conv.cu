#include "weft.h"

// Convolutions and their gradients, each a product of matrices C = A·B of which B is gathered while it is read (implicit GEMM: Chetlur and
// others, "cuDNN: efficient primitives for deep learning", 2014, arXiv:1410.0759). Rows are numbered by m; columns n, and k along which A
// and B meet, each have a first index and three coordinates. B's element (k, n) is where the coordinates n·multiple + k·multiple + shift
// are, divided by a divisor, or zero where those are outside or do not divide.
//
// A block computes a tile of 32 rows and 64 columns, of one group and one part of k; each thread 4 times 4 elements of it. Sums are
// in the order of k; those of parts are kept apart, one behind the other.

enum { tileRows = 32, tileColumns = 64, tileDepth = 16, tileThreads = 128, each = 4 };

// Product is integers[0] to [46]; package cuda fills it.
struct Product {
  int64 rows, columns[4], depths[4];
  int64 aRow, aDepth[4];                                  // strides of A
  int64 bColumn, bDepth, bNext[3], limit[3], divisor[3];  // strides of B's first indices and coordinates, and where it ends
  int64 columnMultiple[3], depthMultiple[3], shift[3];
  int64 cRow, cColumn[4];                                 // strides of C
  int64 groups, aGroup, bGroup, cGroup, length, cPart;    // the elements of k in a part, and the stride of parts in C
  int64 hasBias, biasNext;
};

// Index is a number along columns or k, taken apart.
struct Index { int64 first, at[3]; };

DEVICE Index indexOf(int64 i, const int64 *shape) {
  Index x;
  for (int axis = 2; axis >= 0; axis--) {
    uint32 size = shape[axis + 1];
    int64 rest = i >> 32 ? i / size : (uint32)i / size;
    x.at[axis] = i - rest * size;
    i = rest;
  }
  x.first = i;
  return x;
}

DEVICE int64 count(const int64 *shape) { return shape[0] * shape[1] * shape[2] * shape[3]; }

DEVICE int64 offsetOf(const Index &x, const int64 *strides) {
  return x.first * strides[0] + x.at[0] * strides[1] + x.at[1] * strides[2] + x.at[2] * strides[3];
}

// Corner is where a column or an element of k is in B.
struct Corner {
  int64 offset;
  int32 at[3];
  bool inside;
};

DEVICE float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
DEVICE double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }

// Tile is what a thread keeps of its elements.
template <class T> struct Tile { T sum[each][each]; };

template <class C, class E> DEVICE C gathered(const Product &p, E b, const Corner &column, const Corner &depth) {
  int64 offset = column.offset + depth.offset;
  bool inside = column.inside && depth.inside;
  for (int axis = 0; axis < 3; axis++) {
    int32 at = column.at[axis] + depth.at[axis], divisor = p.divisor[axis];
    if (divisor > 1) {
      int32 whole = at / divisor;
      inside = inside && whole * divisor == at;
      at = whole;
    }
    inside = inside && at >= 0 && at < (int32)p.limit[axis];
    offset += at * p.bNext[axis];
  }
  return inside ? (C)b[offset] : (C)0;
}

template <class T> DEVICE void product(const Arguments &a) {
  using C = Computed<T>;
  const Product &p = *(const Product *)a.integers;
  SHARED(C, left, tileDepth * (tileRows + 1));
  SHARED(C, right, tileDepth * tileColumns);
  SHARED(Corner, depths, tileDepth);
  SHARED(int64, aDepths, tileDepth);
  int64 columns = count(p.columns), depth = count(p.depths);
  int64 across = (columns + tileColumns - 1) / tileColumns, down = (p.rows + tileRows - 1) / tileRows;
  for (uint64 unit = block(); unit < a.count; unit += blocks()) {
    int64 tile = unit;
    int64 column0 = tile % across * tileColumns;
    tile /= across;
    int64 row0 = tile % down * tileRows;
    tile /= down;
    int64 group = tile % p.groups, part = tile / p.groups, from = part * p.length, to = from + p.length;
    if (to > depth) to = depth;
    auto pa = elements<T>(a, 1) + group * p.aGroup, pb = elements<T>(a, 2) + group * p.bGroup;
    Tile<C> own;
    Corner corner;
    together([&](unsigned t) {
      for (int i = 0; i < each; i++)
        for (int j = 0; j < each; j++) own.sum[i][j] = 0;
      int64 n = column0 + t % tileColumns;
      corner.inside = n < columns;
      Index x = indexOf(n, p.columns);
      corner.offset = x.first * p.bColumn;
      for (int axis = 0; axis < 3; axis++) corner.at[axis] = x.at[axis] * p.columnMultiple[axis] + p.shift[axis];
    });
    for (int64 k0 = from; k0 < to; k0 += tileDepth) {
      together([&](unsigned t) {
        if (t >= tileDepth) return;
        Index x = indexOf(k0 + t, p.depths);
        Corner &c = depths[t];
        c.inside = k0 + t < to;
        c.offset = x.first * p.bDepth;
        for (int axis = 0; axis < 3; axis++) c.at[axis] = x.at[axis] * p.depthMultiple[axis];
        aDepths[t] = offsetOf(x, p.aDepth);
      });
      together([&](unsigned t) {
        unsigned k = t % tileDepth;
#pragma unroll
        for (unsigned i = 0; i < tileRows * tileDepth / tileThreads; i++) {
          unsigned m = t / tileDepth + i * (tileThreads / tileDepth);
          bool inside = row0 + m < p.rows && depths[k].inside;
          left[k * (tileRows + 1) + m] = inside ? (C)pa[(row0 + m) * p.aRow + aDepths[k]] : (C)0;
        }
#pragma unroll 4
        for (unsigned i = 0; i < tileColumns * tileDepth / tileThreads; i++) {
          unsigned k = t / tileColumns + i * (tileThreads / tileColumns);
          right[k * tileColumns + t % tileColumns] = gathered<C>(p, pb, corner, depths[k]);
        }
      });
      together([&](unsigned t) {
        unsigned row = t / 16, column = t % 16;
#pragma unroll 4
        for (unsigned k = 0; k < tileDepth; k++) {
          C x[each], y[each];
#pragma unroll
          for (int i = 0; i < each; i++) x[i] = left[k * (tileRows + 1) + row * each + i], y[i] = right[k * tileColumns + column + 16 * i];
#pragma unroll
          for (int i = 0; i < each; i++)
#pragma unroll
            for (int j = 0; j < each; j++) own.sum[i][j] = fused(x[i], y[j], own.sum[i][j]);
        }
      });
    }
    auto pc = elements<T>(a, 0) + group * p.cGroup + part * p.cPart, bias = elements<T>(a, 3);
    together([&](unsigned t) {
#pragma unroll
      for (int j = 0; j < each; j++) {
        int64 n = column0 + t % 16 + 16 * j;
        if (n >= columns) continue;
        int64 offset = offsetOf(indexOf(n, p.columns), p.cColumn);
#pragma unroll
        for (int i = 0; i < each; i++) {
          int64 m = row0 + t / 16 * each + i;
          if (m >= p.rows) continue;
          C sum = own.sum[i][j];
          if (p.hasBias) sum += bias[(group * p.rows + m) * p.biasNext];
          pc[m * p.cRow + offset] = sum;
        }
      }
    });
  }
}

KERNEL(tile_conv_float16) { product<float16>(a); }
KERNEL(tile_conv_bfloat16) { product<bfloat16>(a); }
KERNEL(tile_conv_float32) { product<float32>(a); }
KERNEL(tile_conv_float64) { product<float64>(a); }
