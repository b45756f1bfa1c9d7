#include "weft.h"

// Products of matrices whose layout or element type cuBLAS does not take: a thread for each element of the result. The inner axis is
// that along which the rows of operand 1 meet the columns of operand 2.

#define MATMUL(T, R, S)                                                                                                \
  KERNEL(inner_matmul_##T) {                                                                                           \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      const T *x = start<T>(a, 1) + at[1], *y = start<T>(a, 2) + at[2];                                                \
      int64 nextX = a.operands[1].strides[a.outerAxes], nextY = a.operands[2].strides[a.outerAxes];                    \
      S sum = 0;                                                                                                       \
      for (uint64 k = 0; k < a.inner; k++) sum += (S)((S)load(x + k * nextX) * (S)load(y + k * nextY));                \
      store(start<R>(a, 0) + at[0], sum);                                                                              \
    });                                                                                                                \
  }
MATMUL(int8, int32, int32) MATMUL(int16, int16, int16) MATMUL(int32, int32, int32) MATMUL(int64, int64, int64)
MATMUL(uint8, uint8, uint8) MATMUL(uint16, uint16, uint16) MATMUL(uint32, uint32, uint32) MATMUL(uint64, uint64, uint64)
MATMUL(float16, float16, float) MATMUL(bfloat16, bfloat16, float) MATMUL(float32, float32, float) MATMUL(float64, float64, double)
