// A stand-in for cuBLASLt: products with a bias, by loops, on the streams of the fake driver.
#include "fake.h"

enum { ltSuccess = 0, ltNotInitialized = 1, ltInvalidValue = 7, ltExecutionFailed = 13, ltNotSupported = 15 };
enum { dataFloat = 0, dataHalf = 2, dataBrain = 14, computeFloat = 68, computeTF32 = 77, addsBias = 4 };

struct LtHandle { Device *device; };
struct LtProduct { int compute, scale, transpose[2] = {0, 0}, epilogue = 1; uint64 bias = 0; };
struct LtLayout { int type; uint64 rows, columns; int64 lead; };
struct LtPreference { uint64 bytes = 0; int reductions = 7, alignment[4] = {256, 256, 256, 256}; };
struct LtFound { uint64 algorithm[8]; size_t workspace; int state; float waves; int reserved[4]; };

const uint64 ltMark = 0x1e, ltWorkspace = 128; // of the only algorithm

static int fits(const LtHandle *h, const LtProduct *p, const LtLayout *a, const LtLayout *b, const LtLayout *c, const LtLayout *d) {
  if (!h || !p || !a || !b || !c || !d) return ltInvalidValue;
  bool ta = p->transpose[0], tb = p->transpose[1];
  uint64 m = ta ? a->columns : a->rows, k = ta ? a->rows : a->columns, n = tb ? b->rows : b->columns;
  if (k != (tb ? b->columns : b->rows) || d->rows != m || d->columns != n || c->rows != m || c->columns != n) return ltInvalidValue;
  for (auto l : {a, b, c, d})
    if (l->lead < (int64)l->rows) return ltInvalidValue;
  if (!(controls.ltDevices >> h->device->number & 1) || p->epilogue != addsBias || p->scale != dataFloat) return ltNotSupported;
  if (a->type != b->type || a->type != c->type || a->type != d->type) return ltNotSupported;
  if (p->compute == computeTF32 && a->type != dataFloat) return ltNotSupported;
  return ltSuccess;
}

template <class T> static int multiply(const LtProduct &p, const LtLayout &la, const LtLayout &lb, const LtLayout &ld, uint64 a, uint64 b, uint64 d, uint64 temporary,
                                       const std::shared_ptr<Stream> &s) {
  Device *device = s->device;
  s->push([=] {
    if (device->lost) return;
    auto size = [](const LtLayout &l) { return ((l.columns - 1) * l.lead + l.rows) * sizeof(T); };
    std::shared_ptr<Block> held[5];
    T *pa = (T *)reach(device, a, size(la), &held[0]), *pb = (T *)reach(device, b, size(lb), &held[1]), *pd = (T *)reach(device, d, size(ld), &held[2]);
    T *bias = (T *)reach(device, p.bias, ld.rows * sizeof(T), &held[3]);
    uint8 *free = reach(device, temporary, ltWorkspace, &held[4]);
    if (!pa || !pb || !pd || !bias || !free || a % 16 || b % 16 || d % 16 || p.bias % 16) {
      device->lost = illegalAddress;
      return;
    }
    memset(free, poison, ltWorkspace);
    uint64 depth = p.transpose[0] ? la.rows : la.columns;
    for (uint64 column = 0; column < ld.columns; column++)
      for (uint64 row = 0; row < ld.rows; row++) {
        float sum = 0;
        for (uint64 l = 0; l < depth; l++)
          sum += load(pa + (p.transpose[0] ? row * la.lead + l : l * la.lead + row)) * load(pb + (p.transpose[1] ? l * lb.lead + column : column * lb.lead + l));
        float added = sizeof(T) == 4 ? *(float *)(bias + row) : (float)load(bias + row);
        store(pd + column * ld.lead + row, sum + added);
      }
  });
  return ltSuccess;
}

extern "C" {
size_t cublasLtGetVersion() { return controls.ltVersion; }
int cublasLtCreate(LtHandle **h) {
  if (!current) return ltNotInitialized;
  *h = new LtHandle{current};
  return ltSuccess;
}
int cublasLtDestroy(LtHandle *h) {
  delete h;
  return ltSuccess;
}
int cublasLtMatmulDescCreate(LtProduct **p, int compute, int scale) {
  if (compute != computeFloat && compute != computeTF32) return ltNotSupported;
  *p = new LtProduct{compute, scale};
  return ltSuccess;
}
int cublasLtMatmulDescSetAttribute(LtProduct *p, int attribute, const void *value, size_t bytes) {
  if (bytes != (attribute == 8 ? 8 : 4)) return ltInvalidValue;
  switch (attribute) {
  case 3: case 4: p->transpose[attribute - 3] = *(const int *)value; return ltSuccess;
  case 7: p->epilogue = *(const int *)value; return ltSuccess;
  case 8: p->bias = *(const uint64 *)value; return ltSuccess;
  }
  return ltInvalidValue;
}
int cublasLtMatmulDescDestroy(LtProduct *p) {
  delete p;
  return ltSuccess;
}
int cublasLtMatrixLayoutCreate(LtLayout **l, int type, uint64 rows, uint64 columns, int64 lead) {
  if (type != dataFloat && type != dataHalf && type != dataBrain) return ltNotSupported;
  *l = new LtLayout{type, rows, columns, lead};
  return ltSuccess;
}
int cublasLtMatrixLayoutDestroy(LtLayout *l) {
  delete l;
  return ltSuccess;
}
int cublasLtMatmulPreferenceCreate(LtPreference **p) {
  *p = new LtPreference;
  return ltSuccess;
}
int cublasLtMatmulPreferenceSetAttribute(LtPreference *p, int attribute, const void *value, size_t bytes) {
  if (bytes != (attribute == 1 ? 8 : 4)) return ltInvalidValue;
  if (attribute == 1) p->bytes = *(const uint64 *)value;
  else if (attribute == 3) p->reductions = *(const int *)value;
  else if (attribute >= 5 && attribute <= 8) p->alignment[attribute - 5] = *(const int *)value;
  else return ltInvalidValue;
  return ltSuccess;
}
int cublasLtMatmulPreferenceDestroy(LtPreference *p) {
  delete p;
  return ltSuccess;
}
int cublasLtMatmulAlgoGetHeuristic(LtHandle *h, LtProduct *p, LtLayout *a, LtLayout *b, LtLayout *c, LtLayout *d, LtPreference *wanted, int most, LtFound *found, int *count) {
  *count = 0;
  if (int r = fits(h, p, a, b, c, d)) return r;
  if (wanted->bytes < ltWorkspace || most < 1 || wanted->reductions != 2) return ltNotSupported;
  for (int at : wanted->alignment)
    if (at != 16) return ltNotSupported;
  *found = LtFound{{ltMark, a->rows, a->columns, b->rows, b->columns}, ltWorkspace, ltSuccess, 1};
  *count = 1;
  return ltSuccess;
}
int cublasLtMatmul(LtHandle *h, LtProduct *p, const float *alpha, uint64 a, LtLayout *la, uint64 b, LtLayout *lb, const float *beta, uint64 c, LtLayout *lc, uint64 d,
                   LtLayout *ld, const uint64 *algorithm, uint64 temporary, size_t bytes, void *stream) {
  if (int r = fits(h, p, la, lb, lc, ld)) return r;
  const uint64 wanted[] = {ltMark, la->rows, la->columns, lb->rows, lb->columns};
  auto s = streamOf(stream);
  if (!s || *alpha != 1 || *beta != 0 || c != d || bytes < ltWorkspace || memcmp(algorithm, wanted, sizeof wanted)) return ltInvalidValue;
  if (countdown(controls.blasFails)) return ltExecutionFailed;
  if (countdown(controls.ltRefuses)) return ltNotSupported;
  controls.affineProducts++;
  switch (la->type) {
  case dataHalf: return multiply<float16>(*p, *la, *lb, *ld, a, b, d, temporary, s);
  case dataBrain: return multiply<bfloat16>(*p, *la, *lb, *ld, a, b, d, temporary, s);
  }
  if (p->compute == computeTF32) return multiply<Tf32>(*p, *la, *lb, *ld, a, b, d, temporary, s);
  return multiply<float>(*p, *la, *lb, *ld, a, b, d, temporary, s);
}
}
