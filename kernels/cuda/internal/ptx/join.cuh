#pragma once
#include "arithmetic.cuh"

// What becomes of an element where another is put, by each reduction of package ops.

template <class T> struct Complex {
  T re, im;
  MEMBER Complex operator+(Complex y) const { return {re + y.re, im + y.im}; }
  MEMBER Complex operator*(Complex y) const { return {re * y.re - im * y.im, re * y.im + im * y.re}; }
};
typedef Complex<float> complex64;
typedef Complex<double> complex128;

template <class T> DEVICE void join_none(T *to, const T *from) { *to = *from; }
template <class T> DEVICE void join_add(T *to, const T *from) { store(to, add_(load(to), load(from))); }
template <class T> DEVICE void join_mul(T *to, const T *from) { store(to, mul_(load(to), load(from))); }
template <class T> DEVICE void join_max(T *to, const T *from) { store(to, maximum_(load(to), load(from))); }
template <class T> DEVICE void join_min(T *to, const T *from) { store(to, minimum_(load(to), load(from))); }

// JOINS applies a macro to each reduction and the element types that it is of.
#define JOINS(M)                                                                                                       \
  M(none, bits8) M(none, bits16) M(none, bits32) M(none, bits64) M(none, bits128)                                      \
  NUMBERS(M, add) M(add, complex64) M(add, complex128)                                                                 \
  NUMBERS(M, mul) M(mul, complex64) M(mul, complex128) M(mul, bool)                                                    \
  NUMBERS(M, max) M(max, bool)                                                                                         \
  NUMBERS(M, min) M(min, bool)
