#pragma once
#include "functions.h"
#include "hold.cuh"

// Operators along the last axis, a block for each row. Sums are taken in float64.

// eachRow runs body for each row, with a function that gives the place in an operand of the element with a number.
template <int N, class F> DEVICE void eachRow(const Arguments &a, F body) {
  eachBlock<N>(a, [&](const int64(&at)[N]) {
    body([&](int operand, uint64 i) { return at[operand] + (int64)i * a.operands[operand].strides[a.outerAxes]; });
  });
}

// totalSum returns the sum of all numbers that the threads of a block give: each(take) calls take for those of a thread.
template <class F> DEVICE double totalSum(F each) {
  return total<double>(
      [&](unsigned) {
        double part = 0;
        each([&](double x) { part += x; });
        return part;
      },
      [](double x, double y) { return x + y; });
}

// totalLargest returns the largest of them; NaN if one is.
template <class T, class F> DEVICE T totalLargest(F each) {
  auto larger = [](T x, T y) { return x != x || x > y ? x : y; };
  return total<T>(
      [&](unsigned) {
        T part = -(T)__builtin_inf();
        each([&](T x) { part = larger(part, x); });
        return part;
      },
      larger);
}

// sumOf and largestOf are those of value(i) over the row, sumHeld and largestHeld of value(j) over what the threads hold of it.
template <class F> DEVICE double sumOf(const Arguments &a, F value) {
  return totalSum([&](auto take) {
    for (uint64 i = thread(); i < a.inner; i += threads()) take((double)value(i));
  });
}
template <class T, class F> DEVICE T largestOf(const Arguments &a, F value) {
  return totalLargest<T>([&](auto take) {
    for (uint64 i = thread(); i < a.inner; i += threads()) take(value(i));
  });
}
template <class F> DEVICE double sumHeld(const Arguments &a, F value) {
  return totalSum([&](auto take) { eachHeld(a, [&](int j, uint64) { take((double)value(j)); }); });
}
template <class T, class F> DEVICE T largestHeld(const Arguments &a, F value) {
  return totalLargest<T>([&](auto take) { eachHeld(a, [&](int j, uint64) { take(value(j)); }); });
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

#define HOLD_KERNEL(name) BOUNDED_KERNEL(name, holdThreads, 2)
#define ROWS(M) M(float16) M(bfloat16) M(float32) M(float64)
