#pragma once
#include "functions.h"
#include "hold.cuh"

// Operators along the last axis, a block for each row. Sums are taken in float64.

// rowOf runs body for each row, with a function that gives the place in an operand of the element with a number.
template <int N, class F> DEVICE void eachRow(const Arguments &a, F body) {
  eachBlock<N>(a, [&](const int64(&at)[N]) {
    body([&](int operand, uint64 i) { return at[operand] + (int64)i * a.operands[operand].strides[a.outerAxes]; });
  });
}

// sumOf returns the sum of value(i) over the row.
template <class F> DEVICE double sumOf(const Arguments &a, F value) {
  return total<double>(
      [&](unsigned t) {
        double part = 0;
        for (uint64 i = t; i < a.inner; i += threads()) part += (double)value(i);
        return part;
      },
      [](double x, double y) { return x + y; });
}

// largestOf returns the largest value(i) of the row; NaN if one is.
template <class T, class F> DEVICE T largestOf(const Arguments &a, F value) {
  auto larger = [](T x, T y) { return x != x || x > y ? x : y; };
  return total<T>(
      [&](unsigned t) {
        T part = -(T)__builtin_inf();
        for (uint64 i = t; i < a.inner; i += threads()) part = larger(part, value(i));
        return part;
      },
      larger);
}

// forRow runs body for each number of the row.
template <class F> DEVICE void forRow(const Arguments &a, F body) {
  together([&](unsigned t) {
    for (uint64 i = t; i < a.inner; i += threads()) body(i);
  });
}

// eachHeldRow runs all for the places of each row that the threads of a block hold, and else part, as eachRow does.
template <int N, class All, class Part> DEVICE void eachHeldRow(const Arguments &a, All all, Part part) {
  if (a.inner <= (uint64)held * threads())
    eachBlock<N>(a, all);
  else
    eachRow<N>(a, part);
}

template <class F> DEVICE double sumHeld(const Arguments &a, F value) {
  return total<double>(
      [&](unsigned) {
        double part = 0;
        eachHeld(a, [&](int j, uint64) { part += (double)value(j); });
        return part;
      },
      [](double x, double y) { return x + y; });
}

template <class T, class F> DEVICE T largestHeld(const Arguments &a, F value) {
  auto larger = [](T x, T y) { return x != x || x > y ? x : y; };
  return total<T>(
      [&](unsigned) {
        T part = -(T)__builtin_inf();
        eachHeld(a, [&](int j, uint64) { part = larger(part, value(j)); });
        return part;
      },
      larger);
}

#define HOLD_KERNEL(name) BOUNDED_KERNEL(name, holdThreads, 2)
#define ROWS(M) M(float16) M(bfloat16) M(float32) M(float64)
