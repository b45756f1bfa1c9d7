#pragma once
#include "weft.h"

// Reductions of the inner axes, whose order depends on shapes alone. They are cut into parts, a part into four segments, and of a
// segment each of 32 lanes takes every 32nd element, in order. A lane joins its segments in order, and lanes are joined in a tree. Where
// there is more than one part, their results are kept, and reduced in the same way by a second launch, which joins. So the error of a sum
// grows with its count over the lanes and parts.
//
// Threads are 32 lanes times four segments of one result, or, where elements of adjacent results are nearer in memory, 32 results times
// eight threads, each of which takes all segments of every eighth lane; fewer threads take more segments. The order is the same.

enum { lanes = 32, segments = 4, foldColumns = 32, columnThreads = 8, foldThreads = foldColumns * columnThreads };

#define REDUCTION(name) BOUNDED_KERNEL(name, foldThreads, 4)

// Part is the elements [lo, hi) of the inner axes.
struct Part { uint64 lo, hi, segment; };

DEVICE Part partOf(uint64 number, uint64 length, uint64 inner) {
  Part p = {number * length, (number + 1) * length, (length + lanes * segments - 1) / (lanes * segments) * lanes};
  if (p.hi > inner) p.hi = inner;
  return p;
}

// laneOf joins what a lane takes of a segment: value(at, i) of elements i with the places at in the first N operands.
template <bool heavy, int N, class S, class Value, class Join>
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
    if constexpr (!heavy) {
      const int ahead = sizeof(S) > 8 ? 4 : 8; // elements that are read before the first of them is joined
      for (; i + (ahead - 1) * lanes < to; i += ahead * lanes) {
        decltype(value(at, i)) values[ahead];
#pragma unroll
        for (int n = 0; n < ahead; n++) {
          values[n] = value(at, i + n * lanes);
          for (int k = 0; k < N; k++) at[k] += next[k];
        }
#pragma unroll
        for (int n = 0; n < ahead; n++) sum = join(sum, values[n]);
      }
    }
#pragma unroll 1
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
  bool adjacent = a.columns > 1;
  uint64 tiles = adjacent ? (a.count + foldColumns - 1) / foldColumns : a.count, units = tiles * parts;
  SHARED_BYTES(memory, lanes * foldColumns * sizeof(S));
  S *all = (S *)memory;
  unsigned t = thread(), column = adjacent ? t % foldColumns : 0;
  unsigned firstLane = adjacent ? t / foldColumns : t % lanes, laneStep = adjacent ? columnThreads : lanes;
  unsigned firstSegment = adjacent ? 0 : t / lanes, segmentStep = adjacent ? 1 : threads() / lanes;
  for (uint64 unit = block(); unit < units; unit += blocks()) {
    uint64 tile = parts == 1 ? unit : divide(unit, parts), number = unit - tile * parts;
    Part part = partOf(number, length, inner);
    uint64 o = adjacent ? tile * foldColumns + column : tile;
    bool inside = o < a.count;
    int64 at[N] = {};
    if (!inside) o = a.count - 1;
    locate<N>(a, o, 0, a.outerAxes, at);
    __syncthreads(); // the last results may still be read
#pragma unroll 1
    for (unsigned lane = firstLane; lane < lanes; lane += laneStep) {
      S sum;
#pragma unroll 1
      for (unsigned segment = firstSegment; segment < segments; segment += segmentStep) {
        S own = laneOf(part, segment, lane, o, at);
        sum = segment == firstSegment ? own : join(sum, own);
      }
      all[adjacent ? lane * foldColumns + column : t] = sum;
    }
    __syncthreads();
    if (adjacent) {
      for (unsigned half = lanes * foldColumns / 2; half >= foldColumns; half /= 2) {
        for (unsigned i = t; i < half; i += threads()) all[i] = join(all[i], all[i + half]);
        __syncthreads();
      }
      if (t < foldColumns && inside) done(o, number, at, all[t]);
      continue;
    }
    S sum = all[t];
    if (t < lanes)
      for (unsigned i = 1; i < segmentStep; i++) sum = join(sum, all[t + i * lanes]);
    for (unsigned half = lanes / 2; half > 0; half /= 2) sum = join(sum, below(sum, half));
    if (t == 0) done(o, number, at, sum);
  }
}

// reduced reduces value(at, i) of all inner elements, from empty(at) on, and calls finish(at, result). The last operand has room for the
// results of parts. It is heavy if value or join are much.
template <int N, class S, bool heavy = false, class Empty, class Value, class Join, class Finish>
DEVICE void reduced(const Arguments &a, Empty empty, Value value, Join join, Finish finish) {
  S *partial = start<S>(a, maxOperands - 1);
  uint64 parts = a.parts;
  bool joins = a.joins, whole = joins || parts == 1;
  auto lane = [&](const Part &p, unsigned segment, unsigned lane, uint64 o, const int64(&at)[N]) {
    S sum = empty(at);
    if (!joins) return laneOf<heavy, N, S>(a, p, segment, lane, at, sum, value, join);
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
