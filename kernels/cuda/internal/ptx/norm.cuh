#pragma once
#include "weft.h"

// Normalisation: what is normalised together are the inner axes, of as many rows as the outer axes count. Sums are taken in float64.

// Standard is what a row is normalised by: (x − mean) · inverse.
struct Standard { double mean, inverse; };

struct Sums { double first, second; };

DEVICE Sums addSums(Sums x, Sums y) { return Sums{x.first + y.first, x.second + y.second}; }

DEVICE double atLeastZero(double x) { return x < 0 ? 0 : x; }

DEVICE Standard standardOf(double mean, double variance, double epsilon) {
  return Standard{mean, 1 / __builtin_sqrt(variance + epsilon)};
}

// distance is x − mean, of which the first difference is exact where it matters.
template <class T> DEVICE T distance(T x, double mean) {
  T high = (T)mean, low = (T)(mean - (double)high);
  return (x - high) - low;
}

// slopeOf is the gradient with respect to x: with g the upstream gradient times scale, and sums of g and g x̂ over the row,
// (g − mean g − x̂ mean(g x̂)) · inverse.
template <class T> DEVICE T slopeOf(T x, T g, Standard s, Sums sums, double count, bool centred) {
  T slope = (T)(s.inverse * s.inverse * sums.second / count), shift = centred ? (T)(s.inverse * sums.first / count) : 0;
  return g * (T)s.inverse - distance(x, s.mean) * slope - shift;
}
