// A stand-in for cuDNN: convolutions by loops, on the streams of the fake driver. It refuses what cuDNN does not take.
#include "fake.h"

// Statuses that the stand-in returns.
enum DnnStatus { fine, notStarted, noMemory, badParameter, notSupportedByDnn, executionFailed, subLibraryMissing };
enum { dataFloat = 0, dataDouble = 1, dataHalf = 2, dataBrain = 9, mathDefault = 0, mathTensor = 1, mathConversion = 2, mathFMA = 3 };

static int status(DnnStatus s) {
  static const int of8[] = {0, 1, 2, 3, 9, 8, 14}, of9[] = {0, 1001, 4004, 2000, 3000, 5000, 1008};
  return (controls.dnnVersion >= 10000 ? of9 : of8)[s];
}

// Descriptor is of an array, whose strides are those of row-major order, or of filters.
struct Descriptor { int type = -1, axes = 0, sizes[5]; bool rowMajor = true; };
struct Convolution { int axes = 0, padding[3], stride[3], dilation[3], sum = -1, groups = 1, math = mathDefault; };
struct DnnHandle { Device *device; void *stream; };

// Estimate is cudnnConvolutionFwdAlgoPerf_t.
struct Estimate { int algorithm, status; float time; size_t memory; int determinism, math, reserved[3]; };

// Problem is a convolution with three spatial axes: that of a call, whichever array it computes.
struct Problem {
  int type, math, groups, images, channels, filters;
  int data[3] = {1, 1, 1}, weights[3] = {1, 1, 1}, result[3] = {1, 1, 1}, padding[3] = {}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  uint64 pixels(const int *of) const { return (uint64)of[0] * of[1] * of[2]; }
  uint64 dataCount() const { return images * channels * pixels(data); }
  uint64 weightsCount() const { return filters * (channels / groups) * pixels(weights); }
  uint64 resultCount() const { return images * filters * pixels(result); }
};

static DnnStatus problem(const DnnHandle *h, const Descriptor *x, const Descriptor *w, const Convolution *c, const Descriptor *y, Problem *p) {
  if (!h || !x || !w || !c || !y || x->axes != w->axes || x->axes != y->axes || c->axes != x->axes - 2) return badParameter;
  if (!(controls.dnnDevices >> h->device->number & 1) || !x->rowMajor || !y->rowMajor) return notSupportedByDnn;
  bool sums = c->sum == (x->type == dataDouble ? dataDouble : dataFloat);
  if (x->type != w->type || x->type != y->type || !sums) return notSupportedByDnn;
  *p = Problem{x->type, c->math, c->groups, x->sizes[0], x->sizes[1], w->sizes[0]};
  if (p->channels != w->sizes[1] * p->groups || p->filters % p->groups || y->sizes[0] != p->images || y->sizes[1] != p->filters) return badParameter;
  for (int i = 0; i < c->axes; i++) {
    int to = 3 - c->axes + i;
    p->data[to] = x->sizes[2 + i], p->weights[to] = w->sizes[2 + i], p->result[to] = y->sizes[2 + i];
    p->padding[to] = c->padding[i], p->stride[to] = c->stride[i], p->dilation[to] = c->dilation[i];
    int room = p->data[to] + 2 * p->padding[to] - (p->weights[to] - 1) * p->dilation[to] - 1;
    if (room < 0 || room / p->stride[to] + 1 != p->result[to]) return badParameter;
  }
  return fine;
}

// Algorithms of each direction: what cuDNN thinks is fast may not be what is wanted.
struct Offered { int algorithm, determinism; };
static const Offered offered[3][3] = {{{4, 1}, {7, 1}, {1, 1}}, {{0, 0}, {3, 1}, {1, 1}}, {{0, 0}, {5, 1}, {1, 1}}};
static size_t workspaceOf(const Problem &p) { return 64 + 4 * p.weightsCount(); }

static int choose(int direction, const DnnHandle *h, const Descriptor *x, const Descriptor *w, const Convolution *c, const Descriptor *y, int wanted, int *count, Estimate *all) {
  Problem p;
  if (countdown(controls.dnnChooseFails)) return status(executionFailed);
  if (auto s = problem(h, x, w, c, y, &p)) return status(s);
  *count = 0;
  for (auto &o : offered[direction])
    if (*count < wanted) all[(*count)++] = Estimate{o.algorithm, 0, 1, workspaceOf(p), o.determinism, c->math};
  return status(fine);
}

static int workspace(const DnnHandle *h, const Descriptor *x, const Descriptor *w, const Convolution *c, const Descriptor *y, int algorithm, size_t *bytes) {
  Problem p;
  if (auto s = problem(h, x, w, c, y, &p)) return status(s);
  *bytes = workspaceOf(p);
  return status(fine);
}

// plain returns what is there, not rounded.
static float plain(const Tf32 *p) { return p->number; }
template <class T> static auto plain(const T *p) { return load(p); }

// compute sums the products of the two arrays that a direction reads into the third.
template <class T, class S> static void compute(int direction, const Problem &p, const T *x, const T *w, const T *y, T *to, S factor, S keep) {
  int channels = p.channels / p.groups, filters = p.filters / p.groups;
  uint64 count = direction == 0 ? p.resultCount() : direction == 1 ? p.dataCount() : p.weightsCount();
  std::vector<S> sums(count);
  for (int n = 0; n < p.images; n++)
    for (int k = 0; k < p.filters; k++)
      for (int c = 0; c < channels; c++)
        for (uint64 out = 0; out < p.pixels(p.result); out++)
          for (uint64 in = 0; in < p.pixels(p.weights); in++) {
            uint64 o = out, i = in, at = 0, size = 1;
            bool inside = true;
            for (int axis = 2; axis >= 0; axis--) {
              int place = (int)(o % p.result[axis]) * p.stride[axis] + (int)(i % p.weights[axis]) * p.dilation[axis] - p.padding[axis];
              inside = inside && place >= 0 && place < p.data[axis];
              at += place * size;
              size *= p.data[axis];
              o /= p.result[axis], i /= p.weights[axis];
            }
            if (!inside) continue;
            uint64 ofX = ((uint64)n * p.channels + k / filters * channels + c) * p.pixels(p.data) + at;
            uint64 ofW = ((uint64)k * channels + c) * p.pixels(p.weights) + in, ofY = ((uint64)n * p.filters + k) * p.pixels(p.result) + out;
            if (direction == 0) sums[ofY] += (S)load(x + ofX) * (S)load(w + ofW);
            if (direction == 1) sums[ofX] += (S)load(w + ofW) * (S)load(y + ofY);
            if (direction == 2) sums[ofW] += (S)load(x + ofX) * (S)load(y + ofY);
          }
  for (uint64 i = 0; i < count; i++) store(to + i, factor * sums[i] + (keep == 0 ? 0 : keep * (S)plain(to + i)));
}

template <class T, class S>
static int convolve(int direction, const DnnHandle *h, const Problem &p, S factor, uint64 x, uint64 w, uint64 y, uint64 temporary, size_t bytes, S keep) {
  auto s = streamOf(h->stream);
  if (!s || bytes < workspaceOf(p)) return status(badParameter);
  if (countdown(controls.dnnFails)) return status(executionFailed);
  if (countdown(controls.dnnRefuses)) return status(notSupportedByDnn);
  controls.convolutions++;
  Device *d = s->device;
  s->push([=] {
    std::shared_ptr<Block> held[4];
    T *px = (T *)reach(d, x, p.dataCount() * sizeof(T), &held[0]), *pw = (T *)reach(d, w, p.weightsCount() * sizeof(T), &held[1]);
    T *py = (T *)reach(d, y, p.resultCount() * sizeof(T), &held[2]);
    uint8 *free = reach(d, temporary, bytes, &held[3]);
    if (d->lost) return;
    if (!px || !pw || !py || !free || x % 16 || w % 16 || y % 16) {
      d->lost = illegalAddress;
      return;
    }
    memset(free, poison, bytes);
    compute<T, S>(direction, p, px, pw, py, direction == 0 ? py : direction == 1 ? px : pw, factor, keep);
  });
  return status(fine);
}

static int convolve(int direction, const DnnHandle *h, const void *alpha, const Descriptor *dx, uint64 x, const Descriptor *dw, uint64 w, const Convolution *c, int algorithm,
                    uint64 temporary, size_t bytes, const void *beta, const Descriptor *dy, uint64 y) {
  Problem p;
  if (auto s = problem(h, dx, dw, c, dy, &p)) return status(s);
  if (algorithm != offered[direction][2].algorithm) return status(badParameter);
  float factor = *(const float *)alpha, keep = *(const float *)beta;
  switch (p.type) {
  case dataHalf: return convolve<float16>(direction, h, p, factor, x, w, y, temporary, bytes, keep);
  case dataBrain: return convolve<bfloat16>(direction, h, p, factor, x, w, y, temporary, bytes, keep);
  case dataDouble: return convolve<double>(direction, h, p, *(const double *)alpha, x, w, y, temporary, bytes, *(const double *)beta);
  }
  if (p.math == mathFMA) return convolve<float>(direction, h, p, factor, x, w, y, temporary, bytes, keep);
  return convolve<Tf32>(direction, h, p, factor, x, w, y, temporary, bytes, keep);
}

template <class T> static int make(T **made) {
  *made = new T;
  return status(fine);
}

extern "C" {
size_t cudnnGetVersion() { return controls.dnnVersion; }
size_t cudnnGetCudartVersion() { return controls.dnnCUDA; }
int cudnnCnnVersionCheck() { return status(controls.dnnIncomplete ? subLibraryMissing : fine); }
int cudnnCnnInferVersionCheck() { return cudnnCnnVersionCheck(); }
int cudnnCnnTrainVersionCheck() { return cudnnCnnVersionCheck(); }
void cudnnGetLastErrorString(char *text, size_t bytes) { strncpy(text, "the fake says so", bytes); }

int cudnnCreate(DnnHandle **h) {
  if (!current) return status(notStarted);
  if (countdown(controls.dnnCreateFails)) return status(noMemory);
  *h = new DnnHandle{current, nullptr};
  controls.dnnHandles++;
  return status(fine);
}
int cudnnDestroy(DnnHandle *h) {
  delete h;
  controls.dnnHandles--;
  return status(fine);
}
int cudnnSetStream(DnnHandle *h, void *stream) {
  h->stream = stream;
  return status(fine);
}

int cudnnCreateTensorDescriptor(Descriptor **d) { return make(d); }
int cudnnCreateFilterDescriptor(Descriptor **d) { return make(d); }
int cudnnCreateConvolutionDescriptor(Convolution **c) { return make(c); }
int cudnnDestroyTensorDescriptor(Descriptor *d) {
  delete d;
  return status(fine);
}
int cudnnDestroyFilterDescriptor(Descriptor *d) { return cudnnDestroyTensorDescriptor(d); }
int cudnnDestroyConvolutionDescriptor(Convolution *c) {
  delete c;
  return status(fine);
}

int cudnnSetTensorNdDescriptor(Descriptor *d, int type, int axes, const int *sizes, const int *strides) {
  if (axes < 4 || axes > 5) return status(badParameter);
  d->type = type, d->axes = axes, d->rowMajor = true;
  for (int i = axes - 1, next = 1; i >= 0; next *= sizes[i--]) {
    if (sizes[i] < 1) return status(badParameter);
    d->sizes[i] = sizes[i];
    if (strides && strides[i] != next) d->rowMajor = false;
  }
  return status(fine);
}
int cudnnSetFilterNdDescriptor(Descriptor *d, int type, int format, int axes, const int *sizes) {
  return format ? status(notSupportedByDnn) : cudnnSetTensorNdDescriptor(d, type, axes, sizes, nullptr);
}
int cudnnSetConvolutionNdDescriptor(Convolution *c, int axes, const int *padding, const int *stride, const int *dilation, int mode, int sum) {
  if (axes < 2 || axes > 3 || mode != 1) return status(badParameter);
  *c = Convolution();
  c->axes = axes, c->sum = sum;
  for (int i = 0; i < axes; i++) {
    if (padding[i] < 0 || stride[i] < 1 || dilation[i] < 1) return status(badParameter);
    c->padding[i] = padding[i], c->stride[i] = stride[i], c->dilation[i] = dilation[i];
  }
  return status(fine);
}
int cudnnSetConvolutionGroupCount(Convolution *c, int groups) {
  c->groups = groups;
  return status(groups < 1 ? badParameter : fine);
}
int cudnnSetConvolutionMathType(Convolution *c, int math) {
  c->math = math;
  return status(math < 0 || math > mathFMA ? badParameter : fine);
}

int cudnnGetConvolutionForwardAlgorithm_v7(DnnHandle *h, Descriptor *x, Descriptor *w, Convolution *c, Descriptor *y, int wanted, int *count, Estimate *all) {
  return choose(0, h, x, w, c, y, wanted, count, all);
}
int cudnnGetConvolutionBackwardDataAlgorithm_v7(DnnHandle *h, Descriptor *w, Descriptor *y, Convolution *c, Descriptor *x, int wanted, int *count, Estimate *all) {
  return choose(1, h, x, w, c, y, wanted, count, all);
}
int cudnnGetConvolutionBackwardFilterAlgorithm_v7(DnnHandle *h, Descriptor *x, Descriptor *y, Convolution *c, Descriptor *w, int wanted, int *count, Estimate *all) {
  return choose(2, h, x, w, c, y, wanted, count, all);
}
int cudnnGetConvolutionForwardWorkspaceSize(DnnHandle *h, Descriptor *x, Descriptor *w, Convolution *c, Descriptor *y, int algorithm, size_t *bytes) {
  return workspace(h, x, w, c, y, algorithm, bytes);
}
int cudnnGetConvolutionBackwardDataWorkspaceSize(DnnHandle *h, Descriptor *w, Descriptor *y, Convolution *c, Descriptor *x, int algorithm, size_t *bytes) {
  return workspace(h, x, w, c, y, algorithm, bytes);
}
int cudnnGetConvolutionBackwardFilterWorkspaceSize(DnnHandle *h, Descriptor *x, Descriptor *y, Convolution *c, Descriptor *w, int algorithm, size_t *bytes) {
  return workspace(h, x, w, c, y, algorithm, bytes);
}
int cudnnConvolutionForward(DnnHandle *h, const void *alpha, Descriptor *dx, uint64 x, Descriptor *dw, uint64 w, Convolution *c, int algorithm, uint64 temporary, size_t bytes,
                            const void *beta, Descriptor *dy, uint64 y) {
  return convolve(0, h, alpha, dx, x, dw, w, c, algorithm, temporary, bytes, beta, dy, y);
}
int cudnnConvolutionBackwardData(DnnHandle *h, const void *alpha, Descriptor *dw, uint64 w, Descriptor *dy, uint64 y, Convolution *c, int algorithm, uint64 temporary, size_t bytes,
                                 const void *beta, Descriptor *dx, uint64 x) {
  return convolve(1, h, alpha, dx, x, dw, w, c, algorithm, temporary, bytes, beta, dy, y);
}
int cudnnConvolutionBackwardFilter(DnnHandle *h, const void *alpha, Descriptor *dx, uint64 x, Descriptor *dy, uint64 y, Convolution *c, int algorithm, uint64 temporary,
                                   size_t bytes, const void *beta, Descriptor *dw, uint64 w) {
  return convolve(2, h, alpha, dx, x, dw, w, c, algorithm, temporary, bytes, beta, dy, y);
}
}
