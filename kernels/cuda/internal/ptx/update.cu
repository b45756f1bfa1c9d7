#include "weft.h"

// Steps of optimisers on the weights and states that are the first operands, by the gradient behind them; the numbers are those of
// ops.SGD, ops.Adam and ops.RMSProp. Those of 16 bits are computed in float32.

DEVICE float root(float x) { return __builtin_sqrtf(x); }
DEVICE double root(double x) { return __builtin_sqrt(x); }

// normal returns x with zero in place of subnormal numbers, as the states have it on every device; NaN stays.
DEVICE float normal(float x) { return __builtin_fabsf(x) < 0x1p-126f ? 0 : x; }
DEVICE double normal(double x) { return __builtin_fabs(x) < 0x1p-1022 ? 0 : x; }

#define STEPS(op, T)                                                                                                      \
  KERNEL(each_sgd_##T) {                                                                                               \
    using C = Computed<T>;                                                                                             \
    C decay = a.scalars[0], momentum = a.scalars[1], rate = a.scalars[2], ahead = a.scalars[3];                        \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      auto weight = elements<T>(a, 0) + at[0], velocity = elements<T>(a, 1) + at[1];                                   \
      C w = weight[0];                                                                                                 \
      C gradient = elements<T>(a, 2)[at[2]] + w * decay;                                                               \
      C v = normal((C)velocity[0] * momentum + gradient);                                                              \
      velocity[0] = v;                                                                                                 \
      weight[0] = w - (v * rate + gradient * ahead);                                                                   \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(each_adam_##T) {                                                                                              \
    using C = Computed<T>;                                                                                             \
    C decay = a.scalars[0], keepMean = a.scalars[1], addMean = a.scalars[2], keepSquare = a.scalars[3];                \
    C addSquare = a.scalars[4], rate = a.scalars[5], scale = a.scalars[6], epsilon = a.scalars[7], keep = a.scalars[8];\
    eachElement<4>(a, [&](uint64, const int64(&at)[4]) {                                                               \
      auto weight = elements<T>(a, 0) + at[0], mean = elements<T>(a, 1) + at[1], square = elements<T>(a, 2) + at[2];   \
      C w = weight[0];                                                                                                 \
      C gradient = elements<T>(a, 3)[at[3]] + w * decay;                                                               \
      C m = normal((C)mean[0] * keepMean + gradient * addMean);                                                        \
      C s = normal((C)square[0] * keepSquare + gradient * gradient * addSquare);                                       \
      mean[0] = m;                                                                                                     \
      square[0] = s;                                                                                                   \
      weight[0] = w * keep - m * rate / (root(s) * scale + epsilon);                                                   \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(each_rmsprop_##T) {                                                                                           \
    using C = Computed<T>;                                                                                             \
    C decay = a.scalars[0], keep = a.scalars[1], add = a.scalars[2], epsilon = a.scalars[3], momentum = a.scalars[4];  \
    C rate = a.scalars[5];                                                                                             \
    eachElement<4>(a, [&](uint64, const int64(&at)[4]) {                                                               \
      auto weight = elements<T>(a, 0) + at[0], square = elements<T>(a, 1) + at[1], velocity = elements<T>(a, 2) + at[2];\
      C w = weight[0];                                                                                                 \
      C gradient = elements<T>(a, 3)[at[3]] + w * decay;                                                               \
      C s = normal((C)square[0] * keep + gradient * gradient * add);                                                   \
      C v = normal((C)velocity[0] * momentum + gradient / (root(s) + epsilon));                                        \
      square[0] = s;                                                                                                   \
      velocity[0] = v;                                                                                                 \
      weight[0] = w - v * rate;                                                                                        \
    });                                                                                                                \
  }
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
