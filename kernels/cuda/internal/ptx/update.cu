#include "update.cuh"

// Steps of optimisers on the weights and states that are the first operands, by the gradient behind them; the numbers are those of
// ops.SGD, ops.Adam and ops.RMSProp. Those of 16 bits are computed in float32, which their states may be, too.

DEVICE float root(float x) { return __builtin_sqrtf(x); }
DEVICE double root(double x) { return __builtin_sqrt(x); }

// normal returns x with zero in place of subnormal numbers, as the states have it on every device; NaN stays.
DEVICE float normal(float x) { return __builtin_fabsf(x) < 0x1p-126f ? 0 : x; }
DEVICE double normal(double x) { return __builtin_fabs(x) < 0x1p-1022 ? 0 : x; }

template <class T> DEVICE T held(const T *p, int64 i, bool) { return p[i]; }
template <class T> DEVICE float heldNarrow(const T *p, int64 i, bool wide) { return wide ? ((const float *)p)[i] : load(p + i); }
DEVICE float held(const float16 *p, int64 i, bool wide) { return heldNarrow(p, i, wide); }
DEVICE float held(const bfloat16 *p, int64 i, bool wide) { return heldNarrow(p, i, wide); }

template <class T> DEVICE void hold(T *p, int64 i, bool, T v) { p[i] = v; }
template <class T> DEVICE void holdNarrow(T *p, int64 i, bool wide, float v) {
  if (wide) ((float *)p)[i] = v;
  else store(p + i, v);
}
DEVICE void hold(float16 *p, int64 i, bool wide, float v) { holdNarrow(p, i, wide, v); }
DEVICE void hold(bfloat16 *p, int64 i, bool wide, float v) { holdNarrow(p, i, wide, v); }

// Element is one of an operand of elements T, or of float32 if it is wide.
template <class T> struct Element {
  T *p;
  int64 i;
  bool wide;
  MEMBER operator Computed<T>() const { return held(p, i, wide); }
  MEMBER void operator=(Computed<T> v) const { hold(p, i, wide, v); }
};

template <class T> struct Sgd {
  enum { operands = 3 };
  typedef Computed<T> C;
  C decay, momentum, rate, ahead;
  MEMBER Sgd(const double *n) : decay(n[0]), momentum(n[1]), rate(n[2]), ahead(n[3]) {}
  MEMBER void step(Element<T> weight, Element<T> velocity, Element<T>, Element<T> slope) const {
    C w = weight;
    C gradient = (C)slope + w * decay;
    C v = normal((C)velocity * momentum + gradient);
    velocity = v;
    weight = w - (v * rate + gradient * ahead);
  }
};

template <class T> struct Adam {
  enum { operands = 4 };
  typedef Computed<T> C;
  C decay, keepMean, addMean, keepSquare, addSquare, rate, scale, epsilon, keep;
  MEMBER Adam(const double *n)
      : decay(n[0]), keepMean(n[1]), addMean(n[2]), keepSquare(n[3]), addSquare(n[4]), rate(n[5]), scale(n[6]), epsilon(n[7]), keep(n[8]) {}
  MEMBER void step(Element<T> weight, Element<T> mean, Element<T> square, Element<T> slope) const {
    C w = weight;
    C gradient = (C)slope + w * decay;
    C m = normal((C)mean * keepMean + gradient * addMean);
    C s = normal((C)square * keepSquare + gradient * gradient * addSquare);
    mean = m;
    square = s;
    weight = w * keep - m * rate / (root(s) * scale + epsilon);
  }
};

template <class T> struct RMSProp {
  enum { operands = 4 };
  typedef Computed<T> C;
  C decay, keep, add, epsilon, momentum, rate;
  MEMBER RMSProp(const double *n) : decay(n[0]), keep(n[1]), add(n[2]), epsilon(n[3]), momentum(n[4]), rate(n[5]) {}
  MEMBER void step(Element<T> weight, Element<T> square, Element<T> velocity, Element<T> slope) const {
    C w = weight;
    C gradient = (C)slope + w * decay;
    C s = normal((C)square * keep + gradient * gradient * add);
    C v = normal((C)velocity * momentum + gradient / (root(s) + epsilon));
    square = s;
    velocity = v;
    weight = w - v * rate;
  }
};

// updateEach makes a step on one array of any strides; integers[0] has a bit for each operand that is wide.
template <class T, class Step> DEVICE void updateEach(const Arguments &a) {
  enum { N = Step::operands };
  Step step(a.scalars);
  int64 wide = a.integers[0];
  eachElement<N>(a, [&](uint64, const int64(&at)[N]) {
    Element<T> gradient{start<T>(a, N - 1), at[N - 1], false};
    Element<T> second = N == 4 ? Element<T>{start<T>(a, 2), at[2], (wide & 4) != 0} : gradient;
    step.step(Element<T>{start<T>(a, 0), at[0], false}, Element<T>{start<T>(a, 1), at[1], (wide & 2) != 0}, second, gradient);
  });
}

// updateMany makes a step on many arrays, of which a block has a part of one.
template <class T, class Step> DEVICE void updateMany(const Updates &u) {
  enum { N = Step::operands };
  uint32 own = block();
  int low = 0, high = (int)u.arrays - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (u.array[middle].first <= own) low = middle;
    else high = middle - 1;
  }
  uint64 begin = (uint64)(own - u.array[low].first) * updateChunk, end = u.array[low].count;
  if (end - begin > updateChunk) end = begin + updateChunk;
  Step step(u.numbers[u.array[low].numbers]);
  unsigned wide = u.array[low].wide;
  T *weight = (T *)u.array[low].operands[0], *first = (T *)u.array[low].operands[1];
  T *second = (T *)u.array[low].operands[N - 2], *gradient = (T *)u.array[low].operands[N - 1];
  for (uint64 k = begin + thread(); k < end; k += threads()) {
    int64 i = k;
    step.step(Element<T>{weight, i, false}, Element<T>{first, i, (wide & 2) != 0}, Element<T>{second, i, (wide & 4) != 0}, Element<T>{gradient, i, false});
  }
  if (own == 0 && thread() == 0 && u.done) *u.done = true;
}

#define STEPS(op, T)                                                          \
  KERNEL(each_sgd_##T) { updateEach<T, Sgd<T>>(a); }                          \
  KERNEL(each_adam_##T) { updateEach<T, Adam<T>>(a); }                        \
  KERNEL(each_rmsprop_##T) { updateEach<T, RMSProp<T>>(a); }                  \
  MANY_KERNEL(many_sgds_##T) { updateMany<T, Sgd<T>>(u); }                    \
  MANY_KERNEL(many_adams_##T) { updateMany<T, Adam<T>>(u); }                  \
  MANY_KERNEL(many_rmsprops_##T) { updateMany<T, RMSProp<T>>(u); }
FLOATS(STEPS, )

// What is done in place beside steps: data − diff, x times a number, and the move of an average toward a value.

template <class T> struct Factor { DEVICE T of(const Arguments &a) { return a.integers[0]; } };
template <> struct Factor<float> { DEVICE float of(const Arguments &a) { return a.scalars[0]; } };
template <> struct Factor<double> { DEVICE double of(const Arguments &a) { return a.scalars[0]; } };

#define IN_PLACE(op, T)                                                                                                \
  KERNEL(each_update_##T) {                                                                                            \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) { start<T>(a, 0)[at[0]] -= start<T>(a, 1)[at[1]]; });           \
  }                                                                                                                    \
  KERNEL(each_rescale_##T) {                                                                                           \
    T factor = Factor<T>::of(a);                                                                                       \
    eachElement<1>(a, [&](uint64, const int64(&at)[1]) { start<T>(a, 0)[at[0]] *= factor; });                          \
  }
INTEGERS(IN_PLACE, ) IN_PLACE(, float32) IN_PLACE(, float64)

#define RUNNING_AVERAGE(op, T)                                                                                         \
  KERNEL(each_running_average_##T) {                                                                                   \
    double keep = 1 - a.scalars[0], momentum = a.scalars[0], factor = a.scalars[1];                                    \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) {                                                               \
      auto average = elements<T>(a, 0) + at[0];                                                                        \
      double value = elements<T>(a, 1)[at[1]];                                                                         \
      average[0] = (Computed<T>)(keep * (double)average[0] + momentum * (factor * value));                             \
    });                                                                                                                \
  }
FLOATS(RUNNING_AVERAGE, )
