#include "weft.h"

// Steps of optimisers on the weights and states that are the first operands, by the gradient behind them; the numbers are those of
// ops.SGD, ops.Adam and ops.RMSProp.

DEVICE float root(float x) { return __builtin_sqrtf(x); }
DEVICE double root(double x) { return __builtin_sqrt(x); }

// normal returns x with zero in place of subnormal numbers, as the states have it on every device; NaN stays.
DEVICE float normal(float x) { return __builtin_fabsf(x) < 0x1p-126f ? 0 : x; }
DEVICE double normal(double x) { return __builtin_fabs(x) < 0x1p-1022 ? 0 : x; }

#define UPDATE(T)                                                                                                      \
  KERNEL(each_sgd_##T) {                                                                                               \
    T decay = a.scalars[0], momentum = a.scalars[1], rate = a.scalars[2], ahead = a.scalars[3];                        \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      T *weight = start<T>(a, 0) + at[0], *velocity = start<T>(a, 1) + at[1];                                          \
      T gradient = start<T>(a, 2)[at[2]] + *weight * decay;                                                            \
      T v = normal(*velocity * momentum + gradient);                                                                   \
      *velocity = v;                                                                                                   \
      *weight = *weight - (v * rate + gradient * ahead);                                                               \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(each_adam_##T) {                                                                                              \
    T decay = a.scalars[0], keepMean = a.scalars[1], addMean = a.scalars[2], keepSquare = a.scalars[3];                \
    T addSquare = a.scalars[4], rate = a.scalars[5], scale = a.scalars[6], epsilon = a.scalars[7], keep = a.scalars[8]; \
    eachElement<4>(a, [&](uint64, const int64(&at)[4]) {                                                               \
      T *weight = start<T>(a, 0) + at[0], *mean = start<T>(a, 1) + at[1], *square = start<T>(a, 2) + at[2];            \
      T gradient = start<T>(a, 3)[at[3]] + *weight * decay;                                                            \
      T m = normal(*mean * keepMean + gradient * addMean);                                                             \
      T s = normal(*square * keepSquare + gradient * gradient * addSquare);                                            \
      *mean = m;                                                                                                       \
      *square = s;                                                                                                     \
      *weight = *weight * keep - m * rate / (root(s) * scale + epsilon);                                               \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(each_rmsprop_##T) {                                                                                           \
    T decay = a.scalars[0], keep = a.scalars[1], add = a.scalars[2], epsilon = a.scalars[3], momentum = a.scalars[4];  \
    T rate = a.scalars[5];                                                                                             \
    eachElement<4>(a, [&](uint64, const int64(&at)[4]) {                                                               \
      T *weight = start<T>(a, 0) + at[0], *square = start<T>(a, 1) + at[1], *velocity = start<T>(a, 2) + at[2];        \
      T gradient = start<T>(a, 3)[at[3]] + *weight * decay;                                                            \
      T s = normal(*square * keep + gradient * gradient * add);                                                        \
      T v = normal(*velocity * momentum + gradient / (root(s) + epsilon));                                             \
      *square = s;                                                                                                     \
      *velocity = v;                                                                                                   \
      *weight = *weight - v * rate;                                                                                    \
    });                                                                                                                \
  }
UPDATE(float32) UPDATE(float64)

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

#define RUNNING_AVERAGE(T)                                                                                             \
  KERNEL(each_running_average_##T) {                                                                                   \
    double keep = 1 - a.scalars[0], momentum = a.scalars[0], factor = a.scalars[1];                                    \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) {                                                               \
      T *average = start<T>(a, 0) + at[0];                                                                             \
      *average = (T)(keep * (double)*average + momentum * (factor * (double)start<T>(a, 1)[at[1]]));                   \
    });                                                                                                                \
  }
RUNNING_AVERAGE(float32) RUNNING_AVERAGE(float64)
