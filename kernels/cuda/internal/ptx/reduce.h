#pragma once
#include "weft.h"

// Reductions of the inner axes, whose order depends on shapes alone. They are cut into parts, a part into four segments, and of a
// segment each of 32 lanes takes every 32nd element, in order. A lane joins its segments in order, and lanes are joined in a tree. Where
// there is more than one part, their results are kept, and reduced in the same way by a second launch, which joins. So the error of a sum
// grows with its count over the lanes and parts.
//
// Threads are 32 lanes times four segments of one result, or, where elements of adjacent results are nearer in memory, 8 results times
// 32 lanes; fewer threads take more segments. The order is the same.

enum { lanes = 32, segments = 4, foldThreads = 256 };

// Part is the elements [lo, hi) of the inner axes.
struct Part { uint64 lo, hi, segment; };

DEVICE Part partOf(uint64 number, uint64 length, uint64 inner) {
  Part p = {number * length, (number + 1) * length, (length + lanes * segments - 1) / (lanes * segments) * lanes};
  if (p.hi > inner) p.hi = inner;
  return p;
}

// laneOf joins what a lane takes of a segment: value(at, i) of elements i with the places at in the first N operands.
template <int N, class S, class Value, class Join>
DEVICE S laneOf(const Arguments &a, const Part &p, unsigned segment, unsigned lane, const int64 (&outer)[N], S sum, Value value, Join join) {
  uint64 from = p.lo + segment * p.segment, to = from + p.segment, i = from + lane;
  if (to > p.hi) to = p.hi;
  if (a.innerAxes <= 1) {
    int64 at[N], next[N];
    for (int k = 0; k < N; k++) {
      int64 stride = a.innerAxes ? a.operands[k].strides[a.outerAxes] : 0;
      at[k] = outer[k] + (int64)i * stride;
      next[k] = lanes * stride;
    }
#pragma unroll 4
    for (; i < to; i += lanes) {
      sum = join(sum, value(at, i));
      for (int k = 0; k < N; k++) at[k] += next[k];
    }
    return sum;
  }
#pragma unroll 1
  for (; i < to; i += lanes) {
    int64 at[N];
    for (int k = 0; k < N; k++) at[k] = outer[k];
    locate<N>(a, i, a.outerAxes, a.innerAxes, at);
    sum = join(sum, value(at, i));
  }
  return sum;
}

// reducedParts reduces elements below inner, in so many parts of a length, for each element o of the outer axes: laneOf(part, segment,
// lane, o, at) joins what a lane takes, where at are the places in the first N operands, and done(o, part, at, result) gets the results.
template <int N, class S, class Lane, class Join, class Done>
DEVICE void reducedParts(const Arguments &a, uint64 inner, uint64 length, uint64 parts, Lane laneOf, Join join, Done done) {
  unsigned columns = a.columns;
  uint64 tiles = (a.count + columns - 1) / columns;
  SHARED_BYTES(memory, foldThreads * sizeof(S));
  S *all = (S *)memory;
  for (uint64 unit = block(); unit < tiles * parts; unit += blocks()) {
    uint64 first = unit / parts * columns, number = unit % parts;
    Part part = partOf(number, length, inner);
    unsigned t = thread(), lane = t / columns % lanes, segment = t / columns / lanes, width = lanes * columns, step = threads() / width;
    uint64 o = first + t % columns;
    bool inside = o < a.count;
    int64 at[N] = {};
    if (!inside) o = a.count - 1;
    locate<N>(a, o, 0, a.outerAxes, at);
    __syncthreads(); // the last results may still be read
    for (unsigned turn = 0; turn < segments; turn += step) {
      S sum = laneOf(part, segment + turn, lane, o, at);
      all[t] = turn ? join(all[t], sum) : sum;
    }
    __syncthreads();
    if (t < width)
      for (unsigned i = 1; i < step; i++) all[t] = join(all[t], all[t + i * width]);
    for (unsigned half = width / 2; half >= columns; half /= 2) {
      __syncthreads();
      if (t < half) all[t] = join(all[t], all[t + half]);
    }
    if (t < columns && inside) done(o, number, at, all[t]);
  }
}

// reduced reduces value(at, i) of all inner elements, from empty(at) on, and calls finish(at, result). The last operand has room for the
// results of parts.
template <int N, class S, class Empty, class Value, class Join, class Finish>
DEVICE void reduced(const Arguments &a, Empty empty, Value value, Join join, Finish finish) {
  S *partial = start<S>(a, maxOperands - 1);
  uint64 parts = a.parts;
  bool joins = a.joins, whole = joins || parts == 1;
  auto lane = [&](const Part &p, unsigned segment, unsigned lane, uint64 o, const int64(&at)[N]) {
    S sum = empty(at);
    if (!joins) return laneOf<N, S>(a, p, segment, lane, at, sum, value, join);
    uint64 from = p.lo + segment * p.segment, to = from + p.segment;
#pragma unroll 1
    for (uint64 i = from + lane; i < to && i < p.hi; i += lanes) sum = join(sum, partial[o * parts + i]);
    return sum;
  };
  reducedParts<N, S>(
      a, joins ? parts : a.inner, joins ? parts : a.part, joins ? 1 : parts, lane, join,
      [&](uint64 o, uint64 part, const int64(&at)[N], S s) {
        if (whole)
          finish(at, s);
        else
          partial[o * parts + part] = s;
      });
}
