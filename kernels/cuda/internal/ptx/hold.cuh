#pragma once
#include "weft.h"

// Held is what a thread holds of a row: inHeld elements that follow one another, and as many again behind those of all other threads.
enum { held = 8, inHeld = 4, holdThreads = 512 };
template <class T> struct Held {
  Computed<T> of[held];
  MEMBER Computed<T> &operator[](int j) { return of[j]; }
};

// eachHeld calls body(j, i) for the elements j that the thread holds, which have the numbers i in the row.
template <class F> DEVICE void eachHeld(const Arguments &a, F body) {
#pragma unroll
  for (int j = 0; j < held; j++) {
    uint64 i = (j / inHeld * threads() + thread()) * inHeld + j % inHeld;
    if (i < a.inner) body(j, i);
  }
}

// innerPlace returns where element i of a row is, from its first on.
DEVICE int64 innerPlace(const Arguments &a, int operand, uint64 i) {
  if (a.innerAxes <= 1) return a.innerAxes ? (int64)i * a.operands[operand].strides[a.outerAxes] : 0;
  int64 at = 0;
  for (int axis = a.outerAxes + a.innerAxes - 1; axis >= a.outerAxes; axis--) {
    uint64 rest = divide(i, a.shape[axis]);
    at += (int64)(i - rest * a.shape[axis]) * a.operands[operand].strides[axis];
    i = rest;
  }
  return at;
}

// hold reads a row of an operand that begins at a place, and keep writes one.
template <class T> DEVICE Held<T> hold(const Arguments &a, int operand, int64 at) {
  Held<T> h;
  const T *row = start<T>(a, operand) + at;
  if (!a.packs || !a.operands[operand].strides[a.outerAxes]) {
    T raw[held];
    eachHeld(a, [&](int j, uint64 i) { raw[j] = row[innerPlace(a, operand, i)]; });
    eachHeld(a, [&](int j, uint64) { h[j] = load(&raw[j]); });
    return h;
  }
#pragma unroll
  for (int j = 0; j < held; j += inHeld) {
    uint64 i = (j / inHeld * threads() + thread()) * inHeld;
    if (i >= a.inner) continue;
    auto p = *(const Pack<T, inHeld> *)(row + i);
#pragma unroll
    for (int k = 0; k < inHeld; k++) h[j + k] = load(&p.of[k]);
  }
  return h;
}
template <class T> DEVICE void keep(const Arguments &a, int operand, int64 at, Held<T> &h) {
  T *row = start<T>(a, operand) + at;
  if (!a.packs) {
    T raw[held];
    eachHeld(a, [&](int j, uint64) { store(&raw[j], h[j]); });
    eachHeld(a, [&](int j, uint64 i) { row[innerPlace(a, operand, i)] = raw[j]; });
    return;
  }
#pragma unroll
  for (int j = 0; j < held; j += inHeld) {
    uint64 i = (j / inHeld * threads() + thread()) * inHeld;
    if (i >= a.inner) continue;
    Pack<T, inHeld> p;
#pragma unroll
    for (int k = 0; k < inHeld; k++) store(&p.of[k], h[j + k]);
    *(Pack<T, inHeld> *)(row + i) = p;
  }
}
