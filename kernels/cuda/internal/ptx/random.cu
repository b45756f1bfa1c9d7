#include "weft.h"

// Random numbers with the bits of kernels/cpu: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011) with the layout of the counter that kernels/cpu/philox tells. The first integers are key and sequence.

struct Words { uint32 word[4]; };

DEVICE uint32 highWord(uint32 x, uint32 y) { return (uint64)x * y >> 32; }

// philox returns the words of an element block.
DEVICE Words philox(uint64 key, uint64 sequence, uint64 block, uint32 draw) {
  uint32 k0 = (uint32)key, k1 = (uint32)(key >> 32);
  uint32 c0 = (uint32)block, c1 = draw << 16 | ((uint32)(block >> 32) & 0xffff), c2 = (uint32)sequence, c3 = (uint32)(sequence >> 32);
  for (int round = 0; round < 10; round++) {
    uint32 high0 = highWord(0xD2511F53, c0), low0 = 0xD2511F53 * c0, high1 = highWord(0xCD9E8D57, c2), low1 = 0xCD9E8D57 * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return Words{{c0, c1, c2, c3}};
}

DEVICE uint32 lane(Words w, int i) { return i == 0 ? w.word[0] : i == 1 ? w.word[1] : i == 2 ? w.word[2] : w.word[3]; }

// narrow returns the 32-bit value of an element, wide the 64-bit one.
DEVICE uint32 narrow(const Arguments &a, uint64 element, uint32 draw) {
  return lane(philox(a.integers[0], a.integers[1], element / 4, draw), element % 4);
}

DEVICE uint64 wide(const Arguments &a, uint64 element, uint32 draw) {
  Words w = philox(a.integers[0], a.integers[1], element / 2, draw);
  return element % 2 ? (uint64)w.word[2] << 32 | w.word[3] : (uint64)w.word[0] << 32 | w.word[1];
}

// The largest number below high, but not below low.
DEVICE float belowSingle(double low, double high) {
  float below = (float)high;
  if ((double)below >= high) {
    uint32 bits = bitsOf(below);
    below = below == 0 ? -0x1p-149f : singleOf(below > 0 ? bits - 1 : bits + 1);
  }
  return below < (float)low ? (float)low : below;
}

DEVICE double belowDouble(double low, double high) {
  uint64 bits = bitsOf(high);
  double below = high == 0 ? -0x1p-1074 : doubleOf(high > 0 ? bits - 1 : bits + 1);
  return below < low ? low : below;
}

KERNEL(each_uniform_float32) {
  double low = a.scalars[0], step = (a.scalars[1] - a.scalars[0]) * 0x1p-24;
  float below = belowSingle(a.scalars[0], a.scalars[1]);
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {
    float v = (float)(low + (double)(narrow(a, i, 0) >> 8) * step);
    start<float>(a, 0)[at[0]] = v < below ? v : below;
  });
}

KERNEL(each_uniform_float64) {
  double low = a.scalars[0], step = (a.scalars[1] - a.scalars[0]) * 0x1p-53;
  double below = belowDouble(a.scalars[0], a.scalars[1]);
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {
    double v = low + (double)(wide(a, i, 0) >> 11) * step;
    start<double>(a, 0)[at[0]] = v < below ? v : below;
  });
}

// Chance is a probability below 1 as its first 32 binary digits and the rest.
struct Chance { bool certain; uint32 digits; double rest; };

DEVICE Chance chanceOf(double probability) {
  if (probability >= 1) return Chance{true, 0, 0};
  double scaled = probability * 0x1p32, digits = __builtin_floor(scaled);
  return Chance{false, (uint32)digits, scaled - digits};
}

// hit tells whether the binary fraction with the words of all draws of an element for digits is below the probability.
DEVICE bool hit(const Arguments &a, Chance c, uint64 element) {
  if (c.certain) return true;
  for (uint32 draw = 0;; draw++) {
    uint32 word = narrow(a, element, draw);
    if (word != c.digits) return word < c.digits;
    if (!(c.rest > 0)) return false;
    c = chanceOf(c.rest);
  }
}

KERNEL(each_bernoulli_bool) {
  Chance c = chanceOf(a.scalars[0]);
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) { start<bool>(a, 0)[at[0]] = hit(a, c, i); });
}

// Dropout sets what a chance hits to zero and multiplies the others by the inverse of the probability of staying.
#define DROPOUT(op, T)                                                                                                 \
  KERNEL(each_##op##_##T) {                                                                                            \
    using X = Computed<T>;                                                                                             \
    double probability = a.scalars[0];                                                                                 \
    Chance c = chanceOf(probability);                                                                                  \
    X scale = (X)(1 / (1 - probability));                                                                              \
    auto y = elements<T>(a, 0), x = elements<T>(a, 1);                                                                 \
    eachElement<2>(a, [&](uint64 i, const int64(&at)[2]) { y[at[0]] = hit(a, c, i) ? (X)0 : x[at[1]] * scale; });      \
  }
FLOATS(DROPOUT, dropout)
FLOATS(DROPOUT, dropout_replay)

DEVICE uint64 highOf(uint64 x, uint64 y, uint64 *low) {
  *low = x * y;
#ifdef HOST
  return (unsigned __int128)x * y >> 64;
#else
  uint64 high;
  asm("mul.hi.u64 %0, %1, %2;" : "=l"(high) : "l"(x), "l"(y));
  return high;
#endif
}

// Integers from integers[2] to integers[3] by Lemire's unbiased method, "Fast random integer generation in an interval", ACM TOMACS
// 29(1), 2019; those of at most 32 bits from 32-bit values.
#define RANDINT32(op, T)                                                                                               \
  KERNEL(each_randint_##T) {                                                                                           \
    uint64 low = a.integers[2], span = (uint64)a.integers[3] - low;                                                    \
    uint32 limit = (uint32)span + 1, biased = limit ? (0 - limit) % limit : 0;                                         \
    eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {                                                             \
      uint32 word = narrow(a, i, 0);                                                                                   \
      uint64 product = (uint64)word * limit;                                                                           \
      for (uint32 draw = 1; (uint32)product < biased; draw++) product = (uint64)narrow(a, i, draw) * limit;            \
      start<T>(a, 0)[at[0]] = (T)(low + (span == 0xffffffff ? word : product >> 32));                                  \
    });                                                                                                                \
  }
#define RANDINT64(op, T)                                                                                               \
  KERNEL(each_randint_##T) {                                                                                           \
    uint64 low = a.integers[2], span = (uint64)a.integers[3] - low, limit = span + 1;                                  \
    uint64 biased = limit ? (0 - limit) % limit : 0;                                                                   \
    eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {                                                             \
      uint64 value = wide(a, i, 0), rest = 0;                                                                          \
      if (limit) {                                                                                                     \
        uint64 high = highOf(value, limit, &rest);                                                                     \
        for (uint32 draw = 1; rest < biased; draw++) high = highOf(wide(a, i, draw), limit, &rest);                    \
        value = high;                                                                                                  \
      }                                                                                                                \
      start<T>(a, 0)[at[0]] = (T)(low + value);                                                                        \
    });                                                                                                                \
  }
RANDINT32(, int8) RANDINT32(, int16) RANDINT32(, int32) RANDINT32(, uint8) RANDINT32(, uint16) RANDINT32(, uint32)
RANDINT64(, int64) RANDINT64(, uint64)

// Distributions, with the formulas of kernels/cpu/internal/elementary: every product that is added to something is rounded before. An
// element is a function of its 64-bit values, and of those of its neighbour in the Philox block, at the draws that kernels/cpu tells.

const double ln2High = 6.93147180369123816490e-01, ln2Low = 1.90821492927058770002e-10, infinity = __builtin_inf();

DEVICE double polynomial(double x, double a, double b, double c) { return (a * x + b) * x + c; }

// logarithm is log(2^k (1+f)).
DEVICE double logarithm(double f, double k) {
  const double l1 = 6.666666666666735130e-01, l2 = 3.999999999940941908e-01, l3 = 2.857142874366239149e-01, l4 = 2.222219843214978396e-01,
               l5 = 1.818357216161805012e-01, l6 = 1.531383769920937332e-01, l7 = 1.479819860511658591e-01;
  double s = f / (2 + f), z = s * s, w = z * z;
  double even = w * polynomial(w, l6, l4, l2), odd = z * (polynomial(w, l7, l5, l3) * w + l1);
  double half = 0.5 * f * f, correction = s * (half + (odd + even)) + k * ln2Low;
  return k * ln2High - ((half - correction) - f);
}

DEVICE double logarithmOfNormal(double x, double more) {
  uint64 bits = bitsOf(x) + (0x3ff0000000000000 - 0x3fe6a09e00000000);
  return logarithm(doubleOf((bits & 0xfffffffffffff) + 0x3fe6a09e00000000) - 1, (double)((int64)(bits >> 52) - 1023) + more);
}

DEVICE double logarithmOf(double x) {
  if (x == 0) return -infinity;
  if (!(x > 0 && x < infinity)) return x + (x - x);
  return x < 0x1p-1022 ? logarithmOfNormal(x * 0x1p54, -54) : logarithmOfNormal(x, 0);
}

DEVICE double exponentialOf(double x) {
  if (x != x) return x;
  if (x > 7.09782712893383973096e+02) return infinity;
  if (x < -7.45133219101941108420e+02) return 0;
  const double p1 = 1.66666666666666657415e-01, p2 = -2.77777777770155933842e-03, p3 = 6.61375632143793436117e-05, p4 = -1.65339022054652515390e-06,
               p5 = 4.13813679705723846039e-08;
  int64 k = (int64)(1.44269504088896338700e+00 * x + __builtin_copysign(0.5, x));
  double high = x - (double)k * ln2High, low = (double)k * ln2Low, r = high - low, t = r * r;
  double c = r - t * (p1 + t * polynomial(t, t * p5 + p4, p3, p2));
  double y = 1 - ((low - r * c / (2 - c)) - high);
  auto power = [](int64 k) { return doubleOf((uint64)(k + 1023) << 52); };
  if (k >= -1021 && k <= 1023) return y * power(k);
  return k > 0 ? y * 2 * power(k - 1) : y * power(k + 54) * 0x1p-54;
}

// unitOf is the number between 0 and 1 that a word stands for, logarithmOfUnit its logarithm, before it is rounded.
DEVICE double unitOf(uint64 word) { return ((double)(int64)(word >> 1) + 0.5) * 0x1p-63; }
DEVICE double logarithmOfUnit(uint64 word) {
  return word >= 0xb504f33400000000 ? logarithm(-unitOf(~word), 0) : logarithmOfNormal(unitOf(word), 0);
}

struct Point { double x, y; };

// turned returns cosine and sine of a quarter of a turn, so many times, and what is beside it.
DEVICE Point turned(double sine, double cosine, int64 quarters) {
  switch (quarters & 3) {
  case 1: return {-sine, cosine};
  case 2: return {-cosine, -sine};
  case 3: return {sine, -cosine};
  }
  return {cosine, sine};
}

// direction is that of a whole turn times (word | 1)·2⁻⁶⁴.
DEVICE Point direction(uint64 word) {
  const double s1 = -1.66666666666666324348e-01, s2 = 8.33333333332248946124e-03, s3 = -1.98412698298579493134e-04, s4 = 2.75573137070700676789e-06,
               s5 = -2.50507602534068634195e-08, s6 = 1.58969099521155010221e-10;
  const double c1 = 4.16666666666666019037e-02, c2 = -1.38888888888741095749e-03, c3 = 2.48015872894767294178e-05, c4 = -2.75573143513906633035e-07,
               c5 = 2.08757232129817482790e-09, c6 = -1.13596475577881948265e-11;
  uint64 quarter = (word + ((uint64)1 << 61)) >> 62;
  double x = (double)((int64)(word - (quarter << 62)) | 1) * (6.28318530717958647692 * 0x1p-64), z = x * x, w = z * z;
  double odd = s2 + z * (s3 + z * s4) + z * w * (s5 + z * s6), sine = x + z * x * (s1 + z * odd);
  double tail = z * (c1 + z * (c2 + z * c3)) + w * w * (c4 + z * (c5 + z * c6)), half = 0.5 * z, rest = 1 - half;
  return turned(sine, rest + (((1 - rest) - half) + z * tail), quarter);
}

// gaussianOf makes two standard normal numbers of two words (Box and Muller, 1958), gaussian that of an element at a draw.
DEVICE Point gaussianOf(uint64 first, uint64 second) {
  double radius = __builtin_sqrt(-2 * logarithmOfUnit(first));
  Point p = direction(second);
  return {radius * p.x, radius * p.y};
}
DEVICE double gaussian(const Arguments &a, uint64 element, uint32 draw) {
  Point p = gaussianOf(wide(a, element & ~(uint64)1, draw), wide(a, element | 1, draw));
  return element % 2 ? p.y : p.x;
}

// scaledExponential is scale·value·exp(x), which may be a number where exp(x) is none.
DEVICE double scaledExponential(double value, double x, double scale) {
  if (scale == 0) return 0;
  if (x > -700 && x < 700) return scale * (value * exponentialOf(x));
  return exponentialOf(x + (logarithmOf(value) + logarithmOf(scale)));
}

// Gamma numbers (Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000); for a concentration below 1
// those of one more, whose logarithm the power over the concentration is added to.
struct Gamma {
  double concentration, d, c;
  bool boosted;
};

DEVICE Gamma gammaOf(double concentration) {
  Gamma g = {concentration, concentration - 1.0 / 3, 0, concentration < 1};
  if (g.boosted) g.d++;
  g.c = 1 / (3 * __builtin_sqrt(g.d));
  return g;
}

DEVICE double logarithmRemainder(double t) {
  if (t < -1.0 / 32 || t > 1.0 / 32) return ((logarithmOf(1 + t) - t) + 0.5 * (t * t)) - t * t * t / 3;
  double sum = 0, square = t * t;
  for (int n = 13; n >= 4; n--) sum = 1 / (double)n - t * sum;
  return -(square * square * sum);
}

DEVICE double gammaNumber(const Arguments &a, const Gamma &g, uint64 element, uint32 draw, double *power) {
  *power = g.boosted ? logarithmOfUnit(wide(a, element, draw)) : 0;
  for (draw++;; draw += 2) {
    double z = gaussian(a, element, draw), t = g.c * z;
    uint64 word = wide(a, element, draw + 1);
    if (t <= -1) continue;
    double root = 1 + t, value = g.d * (root * root * root), square = z * z;
    if (unitOf(word) < 1 - 0.0331 * (square * square)) return value;
    if (logarithmOfUnit(word) < 3 * (g.d * logarithmRemainder(t))) return value;
  }
}

DEVICE double scaledGamma(const Arguments &a, const Gamma &g, uint64 element, double scale) {
  double power, value = gammaNumber(a, g, element, 0, &power);
  return g.boosted ? scaledExponential(value, power / g.concentration, scale) : value * scale;
}

#define LAW(op, parameters, value)                                                                                     \
  KERNEL(each_##op##_float32) {                                                                                        \
    double p = a.scalars[0], q = a.scalars[1];                                                                         \
    parameters;                                                                                                        \
    eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) { start<float>(a, 0)[at[0]] = (float)(value); });             \
  }                                                                                                                    \
  KERNEL(each_##op##_float64) {                                                                                        \
    double p = a.scalars[0], q = a.scalars[1];                                                                         \
    parameters;                                                                                                        \
    eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) { start<double>(a, 0)[at[0]] = value; });                     \
  }

DEVICE double laplaceOf(uint64 word, double location, double scale) {
  return word >> 63 ? location - scale * logarithmOfUnit(~word << 1) : location + scale * logarithmOfUnit(word << 1);
}
DEVICE double logisticOf(uint64 word, double location, double scale) {
  return location + scale * (logarithmOfUnit(word) - logarithmOfUnit(~word));
}
DEVICE double cauchyOf(uint64 word, double location, double scale) {
  Point p = direction(word);
  return location + scale * (p.y / p.x);
}

LAW(log_normal, , exponentialOf(p + q * gaussian(a, i, 0)))
LAW(exponential, , -p * logarithmOfUnit(wide(a, i, 0)))
LAW(weibull, , scaledExponential(1, logarithmOf(-logarithmOfUnit(wide(a, i, 0))) / p, q))
LAW(gumbel, , p - q * logarithmOf(-logarithmOfUnit(wide(a, i, 0))))
LAW(laplace, , laplaceOf(wide(a, i, 0), p, q))
LAW(logistic, , logisticOf(wide(a, i, 0), p, q))
LAW(cauchy, , cauchyOf(wide(a, i, 0), p, q))
LAW(gamma, Gamma g = gammaOf(p), scaledGamma(a, g, i, q))
LAW(chi_square, Gamma g = gammaOf(p / 2), scaledGamma(a, g, i, 2))

DEVICE double studentOf(const Arguments &a, const Gamma &g, uint64 element, double freedom) {
  double power, value = gammaNumber(a, g, element, 1, &power), z = gaussian(a, element, 0), half = g.concentration;
  double root = __builtin_sqrt(half / value);
  if (g.boosted) root = exponentialOf(0.5 * (logarithmOf(half) - logarithmOf(value)) - power / freedom);
  return z != 0 ? z * root : z; // 0·∞ is not a number
}
LAW(student_t, Gamma g = gammaOf(p / 2 > 0x1p-1074 ? p / 2 : 0x1p-1074), studentOf(a, g, i, p))

DEVICE double betaOf(const Arguments &a, const Gamma &g, const Gamma &h, uint64 element) {
  double first, second, x = gammaNumber(a, g, element, 0, &first), y = gammaNumber(a, h, element, 1 << 15, &second);
  if (!g.boosted && !h.boosted) return 1 / (1 + y / x);
  double least = g.concentration < h.concentration ? g.concentration : h.concentration;
  double difference = (second * (least / h.concentration) - first * (least / g.concentration)) / least + (logarithmOf(y) - logarithmOf(x));
  if (difference <= 0) return 1 / (1 + exponentialOf(difference));
  double e = exponentialOf(-difference);
  return e / (1 + e);
}
LAW(beta, Gamma g = gammaOf(p); Gamma h = gammaOf(q), betaOf(a, g, h, i))

// Normal numbers: of float64 from 64-bit values, of float32 from 32-bit ones, with the polynomials of normal.go and normal_float32.go of kernels/cpu/distribution.

DEVICE Point normalPair(uint64 first, uint64 second) {
  double positive = (double)(((uint64)1 << 53) - (first >> 11)) * 0x1p-53;
  uint64 bits = bitsOf(positive); // of a number from ½ to 1, and an exponent
  double fraction = doubleOf((bits & 0xfffffffffffff) | (uint64)1022 << 52), exponent = (double)((int64)(bits >> 52) - 1022);
  if (fraction < 0x1.6a09e667f3bcdp-1) fraction *= 2, exponent--;
  double radius = __builtin_sqrt(-2 * logarithm(fraction - 1, exponent));
  double quarters = 4 * ((double)(second >> 11) * 0x1p-53), quadrant = __builtin_floor(quarters + 0.5);
  double z = (quarters - quadrant) * 0x1.921fb54442d18p+0, zz = z * z;
  double odd = polynomial(zz, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6) * zz + -1.98412698295895385996e-4;
  double even = polynomial(zz, -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7) * zz + 2.48015872888517045348e-5;
  double sine = z + z * zz * polynomial(zz, odd, 8.33333333332211858878e-3, -1.66666666666666307295e-1);
  double cosine = 1 - 0.5 * zz + zz * zz * polynomial(zz, even, -1.38888888888730564116e-3, 4.16666666666665929218e-2);
  Point p = turned(sine, cosine, (int64)quadrant);
  return {radius * p.x, radius * p.y};
}

struct Singles { float x, y; };

DEVICE Singles normalSingles(uint32 first, uint32 second) {
  const float l1 = 0xaaaaaa.0p-24f, l2 = 0xccce13.0p-25f, l3 = 0x91e9ee.0p-25f, l4 = 0xf89e26.0p-26f;
  const uint32 one = 0x3f800000, root = 0x3f3504f3;
  float distance = ((float)(int32)first + 0.5f) * 0x1p-32f, x = distance + ((int32)first < 0 ? 1.0f : 0.0f);
  uint32 shifted = bitsOf(x) + (one - root);
  int32 exponent = (int32)(shifted >> 23) - 127;
  float f = exponent == 0 ? distance : singleOf((shifted & 0x7fffff) + root) - 1, k = (float)exponent;
  float s = f / (2 + f), s2 = s * s, s4 = s2 * s2, odd = s2 * (l3 * s4 + l1), even = s4 * (l4 * s4 + l2), half = 0.5f * f * f;
  float correction = s * (half + (odd + even)) + k * 9.0580006145e-06f;
  float radius = __builtin_sqrtf(-2 * (k * 6.9313812256e-01f - ((half - correction) - f)));
  float z = (float)((int32)(second << 2) >> 2) * (float)(0x1.921fb54442d18p+0 * 0x1p-30), zz = z * z;
  float p = (-1.9515295891e-4f * zz + 8.3321608736e-3f) * zz + -1.6666654611e-1f;
  float q = (2.443315711809948e-5f * zz + -1.388731625493765e-3f) * zz + 4.166664568298827e-2f;
  float sine = z + z * zz * p, cosine = 1 - 0.5f * zz + zz * zz * q;
  uint32 quadrant = second + (1u << 29), highest = 1u << 31;
  if (quadrant << 1 & highest) {
    float other = sine;
    sine = cosine, cosine = other;
  }
  sine = singleOf(bitsOf(sine) ^ (quadrant & highest));
  cosine = singleOf(bitsOf(cosine) ^ ((quadrant + (1u << 30)) & highest));
  return {radius * cosine, radius * sine};
}

KERNEL(each_normal_float32) {
  float mean = (float)a.scalars[0], deviation = (float)a.scalars[1];
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {
    Words w = philox(a.integers[0], a.integers[1], i / 4, 0);
    Singles z = i % 4 < 2 ? normalSingles(w.word[0], w.word[1]) : normalSingles(w.word[2], w.word[3]);
    start<float>(a, 0)[at[0]] = mean + (i % 2 ? z.y : z.x) * deviation;
  });
}

KERNEL(each_normal_float64) {
  double mean = a.scalars[0], deviation = a.scalars[1];
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {
    Point z = normalPair(wide(a, i & ~(uint64)1, 0), wide(a, i | 1, 0));
    start<double>(a, 0)[at[0]] = mean + (i % 2 ? z.y : z.x) * deviation;
  });
}

// The standard normal numbers that multivariate_normal took.
KERNEL(each_normal_replay_float32) {
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) { start<float>(a, 0)[at[0]] = (float)gaussian(a, i, 0); });
}
KERNEL(each_normal_replay_float64) {
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) { start<double>(a, 0)[at[0]] = gaussian(a, i, 0); });
}

// Trials up to the first success, which has the probability scalars[0].
KERNEL(each_geometric_int64) {
  double y = 1 - a.scalars[0], perTrial = y == 1 ? -a.scalars[0] : logarithmOf(y) * (-a.scalars[0] / (y - 1));
  eachElement<1>(a, [&](uint64 i, const int64(&at)[1]) {
    double k = __builtin_ceil(logarithmOfUnit(wide(a, i, 0)) / perTrial);
    start<int64>(a, 0)[at[0]] = k >= 0x1p63 ? 0x7fffffffffffffff : k > 1 ? (int64)k : 1;
  });
}
