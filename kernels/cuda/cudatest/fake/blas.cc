// A stand-in for cuBLAS: products by loops, on the streams of the fake driver.
#include "fake.h"

enum { blasSuccess = 0, blasNotInitialized = 1, blasAllocationFailed = 3, blasInvalidValue = 7, blasExecutionFailed = 13, blasNotSupported = 15 };
enum { dataFloat = 0, dataHalf = 2, dataBrain = 14, computeFloat = 68, computeTF32 = 77 };

struct Handle { void *stream; };

template <class T, class S>
static int multiply(Handle *h, int ta, int tb, int m, int n, int k, const S *alpha, uint64 a, int lda, int64 nextA, uint64 b, int ldb, int64 nextB,
                    const S *beta, uint64 c, int ldc, int64 nextC, int count) {
  if (!h) return blasNotInitialized;
  auto s = streamOf(h->stream);
  if (!s || m < 0 || n < 0 || k < 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m || lda < 1 || ldb < 1 || ldc < 1) return blasInvalidValue;
  if (countdown(controls.blasFails)) return controls.blasStatus;
  controls.products++;
  Device *d = s->device;
  S factor = *alpha, keep = *beta;
  s->push([=] {
    for (int i = 0; i < count; i++) {
      auto size = [](int64 lead, int64 columns, int64 rows) { return columns > 0 && rows > 0 ? ((columns - 1) * lead + rows) * sizeof(T) : 0; };
      std::shared_ptr<Block> held[3];
      T *pa = (T *)reach(d, a + i * nextA * sizeof(T), size(lda, ta ? m : k, ta ? k : m), &held[0]);
      T *pb = (T *)reach(d, b + i * nextB * sizeof(T), size(ldb, tb ? k : n, tb ? n : k), &held[1]);
      T *pc = (T *)reach(d, c + i * nextC * sizeof(T), size(ldc, n, m), &held[2]);
      if (d->lost) return;
      if (!pa || !pb || !pc) {
        d->lost = illegalAddress;
        return;
      }
      for (int64 column = 0; column < n; column++)
        for (int64 row = 0; row < m; row++) {
          S sum = 0;
          for (int64 l = 0; l < k; l++) sum += load(pa + (ta ? row * lda + l : l * lda + row)) * load(pb + (tb ? l * ldb + column : column * ldb + l));
          T *at = pc + column * ldc + row;
          store(at, factor * sum + (keep == 0 ? 0 : keep * load(at)));
        }
    }
  });
  return blasSuccess;
}

extern "C" {
int cublasCreate_v2(Handle **h) {
  if (!current) return blasNotInitialized;
  *h = new Handle{nullptr};
  return blasSuccess;
}
int cublasDestroy_v2(Handle *h) {
  delete h;
  return blasSuccess;
}
int cublasSetStream_v2(Handle *h, void *stream) {
  h->stream = stream;
  return blasSuccess;
}
int cublasSetMathMode(Handle *h, int) { return h ? blasSuccess : blasNotInitialized; }
int cublasGemmStridedBatchedEx(Handle *h, int ta, int tb, int m, int n, int k, const float *alpha, uint64 a, int typeA, int lda, int64 nextA, uint64 b, int typeB, int ldb,
                               int64 nextB, const float *beta, uint64 c, int typeC, int ldc, int64 nextC, int count, int compute, int) {
  if (typeA != typeB || typeA != typeC) return blasNotSupported;
  if (compute == computeFloat && typeA == dataHalf) return multiply<float16>(h, ta, tb, m, n, k, alpha, a, lda, nextA, b, ldb, nextB, beta, c, ldc, nextC, count);
  if (compute == computeFloat && typeA == dataBrain) return multiply<bfloat16>(h, ta, tb, m, n, k, alpha, a, lda, nextA, b, ldb, nextB, beta, c, ldc, nextC, count);
  if (compute == computeTF32 && typeA == dataFloat) return multiply<Tf32>(h, ta, tb, m, n, k, alpha, a, lda, nextA, b, ldb, nextB, beta, c, ldc, nextC, count);
  return blasNotSupported;
}
int cublasGemmEx(Handle *h, int ta, int tb, int m, int n, int k, const float *alpha, uint64 a, int typeA, int lda, uint64 b, int typeB, int ldb, const float *beta,
                 uint64 c, int typeC, int ldc, int compute, int algorithm) {
  return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, typeA, lda, 0, b, typeB, ldb, 0, beta, c, typeC, ldc, 0, 1, compute, algorithm);
}
int cublasSgemm_v2(Handle *h, int ta, int tb, int m, int n, int k, const float *alpha, uint64 a, int lda, uint64 b, int ldb, const float *beta, uint64 c, int ldc) {
  return multiply<float>(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}
int cublasDgemm_v2(Handle *h, int ta, int tb, int m, int n, int k, const double *alpha, uint64 a, int lda, uint64 b, int ldb, const double *beta, uint64 c, int ldc) {
  return multiply<double>(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}
int cublasSgemmStridedBatched(Handle *h, int ta, int tb, int m, int n, int k, const float *alpha, uint64 a, int lda, int64 nextA, uint64 b, int ldb, int64 nextB,
                              const float *beta, uint64 c, int ldc, int64 nextC, int count) {
  return multiply<float>(h, ta, tb, m, n, k, alpha, a, lda, nextA, b, ldb, nextB, beta, c, ldc, nextC, count);
}
int cublasDgemmStridedBatched(Handle *h, int ta, int tb, int m, int n, int k, const double *alpha, uint64 a, int lda, int64 nextA, uint64 b, int ldb, int64 nextB,
                              const double *beta, uint64 c, int ldc, int64 nextC, int count) {
  return multiply<double>(h, ta, tb, m, n, k, alpha, a, lda, nextA, b, ldb, nextB, beta, c, ldc, nextC, count);
}

// For tests of calls with many arguments: whether those are 1, 2, 3 and so on.
int weftFakeWide(int64 a1, int64 a2, int64 a3, int64 a4, int64 a5, int64 a6, int64 a7, int64 a8, int64 a9, int64 a10, int64 a11, int64 a12, int64 a13, int64 a14,
                 int64 a15, int64 a16, int64 a17, int64 a18, int64 a19, int64 a20, int64 a21, int64 a22, int64 a23) {
  int64 all[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23};
  for (int i = 0; i < 23; i++)
    if (all[i] != i + 1) return -1 - i;
  return (uint64)&all[0] % 8 == 0 ? 23 : -100;
}
}
