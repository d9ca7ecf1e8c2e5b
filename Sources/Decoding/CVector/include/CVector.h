// One-line vector operations for the decoder's pixel loops, inlined into Swift. No logic lives here: a loop is written once,
// in Swift, and these operations become one to four instructions each on aarch64 (NEON) and x86_64 (SSE2); elsewhere the
// portable bodies are used. All bodies of an operation give the same result, bit for bit.

#ifndef CVECTOR_H
#define CVECTOR_H

#include <stdint.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef uint8_t cvector_u8x16 __attribute__((ext_vector_type(16)));
typedef int8_t cvector_s8x16 __attribute__((ext_vector_type(16)));
typedef uint8_t cvector_u8x4 __attribute__((ext_vector_type(4)));
typedef uint8_t cvector_u8x8 __attribute__((ext_vector_type(8)));
typedef int16_t cvector_s16x8 __attribute__((ext_vector_type(8)));
typedef uint16_t cvector_u16x8 __attribute__((ext_vector_type(8)));
typedef int32_t cvector_s32x4 __attribute__((ext_vector_type(4)));

#define CVECTOR static inline __attribute__((always_inline))

/// 16 bytes from any address.
CVECTOR cvector_u8x16 cvector_load(const uint8_t *p) {
  cvector_u8x16 v;
  __builtin_memcpy(&v, p, 16);
  return v;
}

/// 8 bytes from any address, in lanes 0…7 and again in lanes 8…15.
CVECTOR cvector_u8x16 cvector_load8_twice(const uint8_t *p) {
  cvector_u8x16 v;
  __builtin_memcpy(&v, p, 8);
  v.hi = v.lo;
  return v;
}

/// 8 bytes to any address.
CVECTOR void cvector_store8(uint8_t *p, cvector_u8x8 v) { __builtin_memcpy(p, &v, 8); }

CVECTOR cvector_u8x16 cvector_min(cvector_u8x16 a, cvector_u8x16 b) { return __builtin_elementwise_min(a, b); }

CVECTOR cvector_u8x16 cvector_max(cvector_u8x16 a, cvector_u8x16 b) { return __builtin_elementwise_max(a, b); }

/// 8 words from any address.
CVECTOR cvector_s16x8 cvector_load_words(const int16_t *p) {
  cvector_s16x8 v;
  __builtin_memcpy(&v, p, 16);
  return v;
}

/// `low` in lanes 0…7, `high` in lanes 8…15.
CVECTOR cvector_u8x16 cvector_two(uint8_t low, uint8_t high) {
#if defined(__aarch64__)
  return (cvector_u8x16)vcombine_u8(vdup_n_u8(low), vdup_n_u8(high));
#else
  cvector_u8x16 v = low;
  v.hi = (cvector_u8x8)high;
  return v;
#endif
}

/// 255 in each lane where a >= b, else 0.
CVECTOR cvector_u8x16 cvector_not_below(cvector_u8x16 a, cvector_u8x16 b) { return (cvector_u8x16)(a >= b); }

/// 255 in each lane where `mask`, which is 0 or 255 in each lane, differs from the lane before; before the first lane comes
/// the last one of `previous`.
CVECTOR cvector_u8x16 cvector_changes(cvector_u8x16 previous, cvector_u8x16 mask) {
  return mask ^ (cvector_u8x16)__builtin_shufflevector(
                    previous, mask, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
}

/// One bit per lane of a mask of 0 and 255, in the order of the lanes; `cvector_lane` gives the lane of a bit.
CVECTOR uint64_t cvector_lanes(cvector_u8x16 mask) {
#if defined(__aarch64__)
  return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8((uint8x16_t)mask), 4)), 0) &
         0x8888888888888888u;
#elif defined(__SSE2__)
  return (uint64_t)_mm_movemask_epi8((__m128i)mask);
#else
  uint64_t bits = 0;
  for (int i = 0; i < 16; i++) bits |= (uint64_t)(mask[i] & 1) << i;
  return bits;
#endif
}

/// The lane of bit number `bit` in `cvector_lanes`.
CVECTOR int64_t cvector_lane(int64_t bit) {
#if defined(__aarch64__)
  return bit >> 2;
#else
  return bit;
#endif
}

/// (a · b) >> 16 in each lane, rounded down.
CVECTOR cvector_s16x8 cvector_high_products(cvector_s16x8 a, cvector_s16x8 b) {
#if defined(__SSE2__)
  return (cvector_s16x8)_mm_mulhi_epi16((__m128i)a, (__m128i)b);
#else
  typedef int32_t wide __attribute__((ext_vector_type(8)));
  return __builtin_convertvector(
      (__builtin_convertvector(a, wide) * __builtin_convertvector(b, wide)) >> (wide)16, cvector_s16x8);
#endif
}

/// a · x + b · y of four pairs (a, b), side by side in `pairs`.
CVECTOR cvector_s32x4 cvector_pair_products(cvector_s16x8 pairs, int16_t x, int16_t y) {
#if defined(__aarch64__)
  int16x8_t words = (int16x8_t)pairs;
  return (cvector_s32x4)vmlal_n_s16(
      vmull_n_s16(vget_low_s16(vuzp1q_s16(words, words)), x), vget_low_s16(vuzp2q_s16(words, words)), y);
#elif defined(__SSE2__)
  return (cvector_s32x4)_mm_madd_epi16(
      (__m128i)pairs, _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)x | (uint32_t)(uint16_t)y << 16)));
#else
  return __builtin_convertvector(pairs.even, cvector_s32x4) * (int32_t)x +
         __builtin_convertvector(pairs.odd, cvector_s32x4) * (int32_t)y;
#endif
}

/// 4 longs from any address.
CVECTOR cvector_s32x4 cvector_load_longs(const int32_t *p) {
  cvector_s32x4 v;
  __builtin_memcpy(&v, p, 16);
  return v;
}

/// The greater of a and |b| in each lane.
CVECTOR cvector_s32x4 cvector_longer(cvector_s32x4 a, cvector_s32x4 b) {
  return __builtin_elementwise_max(a, __builtin_elementwise_abs(b));
}

/// -1 in each lane where `here` is at least `limit` and an upper peak, or at most -limit and a lower one, else 0: beyond `after`,
/// and not short of `before`.
CVECTOR cvector_s32x4 cvector_peaks(cvector_s32x4 before, cvector_s32x4 here, cvector_s32x4 after, cvector_s32x4 limit) {
  cvector_s32x4 upper = (here >= limit) & (here >= before) & (here > after);
  cvector_s32x4 lower = (here <= -limit) & (here <= before) & (here < after);
  return upper | lower;
}

/// -1 in each lane where a > b, else 0.
CVECTOR cvector_s32x4 cvector_above_long(cvector_s32x4 a, cvector_s32x4 b) { return (cvector_s32x4)(a > b); }

/// The lowest byte of each lane, in the order of the lanes.
CVECTOR uint32_t cvector_long_bytes(cvector_s32x4 v) {
#if defined(__aarch64__)
  uint16x4_t words = vmovn_u32((uint32x4_t)v);
  return vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(words, words))), 0);
#else
  cvector_u8x4 bytes = __builtin_convertvector(v, cvector_u8x4);
  uint32_t result;
  __builtin_memcpy(&result, &bytes, 4);
  return result;
#endif
}

/// `low` in lanes 0…3, `high` in lanes 4…7: the lower halves of the longs.
CVECTOR cvector_s16x8 cvector_narrow(cvector_s32x4 low, cvector_s32x4 high) {
  return __builtin_convertvector(__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7), cvector_s16x8);
}

/// -1 in each lane where |a| <= limit, else 0; |-32768| counts as -32768.
CVECTOR cvector_s16x8 cvector_within(cvector_s16x8 a, cvector_s16x8 limit) {
  return (cvector_s16x8)(__builtin_elementwise_abs(a) <= limit);
}

/// -1 in each lane where a > b, else 0.
CVECTOR cvector_s16x8 cvector_above(cvector_s16x8 a, cvector_s16x8 b) { return (cvector_s16x8)(a > b); }

/// -1 in each lane where `here` is a peak above 0 or one below it, else 0: beyond `before`, and not short of `after`.
CVECTOR cvector_s16x8 cvector_word_peaks(cvector_s16x8 before, cvector_s16x8 here, cvector_s16x8 after) {
  return (cvector_s16x8)((here > 0) & (here > before) & (here >= after)) |
         (cvector_s16x8)((here < 0) & (here < before) & (here <= after));
}

/// -1 in each lane where |a| > |b|, else 0.
CVECTOR cvector_s16x8 cvector_longer_word(cvector_s16x8 a, cvector_s16x8 b) {
  return (cvector_s16x8)(__builtin_elementwise_abs(a) > __builtin_elementwise_abs(b));
}

/// `a` in each lane where `mask` is -1, `b` where it is 0.
CVECTOR cvector_s16x8 cvector_select(cvector_s16x8 mask, cvector_s16x8 a, cvector_s16x8 b) {
  return (a & mask) | (b & ~mask);
}

/// One byte per lane of a mask of 0 and -1, in the order of the lanes.
CVECTOR uint64_t cvector_lane_bytes(cvector_s16x8 mask) {
  cvector_u8x8 bytes = __builtin_convertvector(mask, cvector_u8x8);
  uint64_t result;
  __builtin_memcpy(&result, &bytes, 8);
  return result;
}

/// (a - b) >> 1 in each lane, rounded down: -128…127.
CVECTOR cvector_s8x16 cvector_halving_difference(cvector_u8x16 a, cvector_u8x16 b) {
#if defined(__aarch64__)
  return (cvector_s8x16)vhsubq_u8((uint8x16_t)a, (uint8x16_t)b);
#elif defined(__SSE2__)
  return (cvector_s8x16)((cvector_u8x16)_mm_avg_epu8((__m128i)a, (__m128i)~b) ^ (cvector_u8x16)(uint8_t)0x80);
#else
  typedef int16_t wide __attribute__((ext_vector_type(16)));
  return __builtin_convertvector(
      (__builtin_convertvector(a, wide) - __builtin_convertvector(b, wide)) >> (wide)(int16_t)1, cvector_s8x16);
#endif
}

/// sum plus the products of lanes 0…7, two neighbours to a lane of the sum.
CVECTOR cvector_s32x4 cvector_add_products_low(cvector_s32x4 sum, cvector_s8x16 a, cvector_s8x16 b) {
#if defined(__aarch64__)
  return (cvector_s32x4)vpadalq_s16(
      (int32x4_t)sum, vmull_s8(vget_low_s8((int8x16_t)a), vget_low_s8((int8x16_t)b)));
#elif defined(__SSE2__)
  __m128i zero = _mm_setzero_si128();
  return sum + (cvector_s32x4)_mm_madd_epi16(
                   _mm_srai_epi16(_mm_unpacklo_epi8(zero, (__m128i)a), 8),
                   _mm_srai_epi16(_mm_unpacklo_epi8(zero, (__m128i)b), 8));
#else
  cvector_s16x8 p = __builtin_convertvector(a.lo, cvector_s16x8) * __builtin_convertvector(b.lo, cvector_s16x8);
  return sum + __builtin_convertvector(p.even, cvector_s32x4) + __builtin_convertvector(p.odd, cvector_s32x4);
#endif
}

/// sum plus the products of lanes 8…15, two neighbours to a lane of the sum.
CVECTOR cvector_s32x4 cvector_add_products_high(cvector_s32x4 sum, cvector_s8x16 a, cvector_s8x16 b) {
#if defined(__aarch64__)
  return (cvector_s32x4)vpadalq_s16((int32x4_t)sum, vmull_high_s8((int8x16_t)a, (int8x16_t)b));
#elif defined(__SSE2__)
  __m128i zero = _mm_setzero_si128();
  return sum + (cvector_s32x4)_mm_madd_epi16(
                   _mm_srai_epi16(_mm_unpackhi_epi8(zero, (__m128i)a), 8),
                   _mm_srai_epi16(_mm_unpackhi_epi8(zero, (__m128i)b), 8));
#else
  cvector_s16x8 p = __builtin_convertvector(a.hi, cvector_s16x8) * __builtin_convertvector(b.hi, cvector_s16x8);
  return sum + __builtin_convertvector(p.even, cvector_s32x4) + __builtin_convertvector(p.odd, cvector_s32x4);
#endif
}

/// sum plus the squares of lanes 0…7 of both, two neighbours to a lane of the sum.
CVECTOR cvector_s32x4 cvector_add_squares_low(cvector_s32x4 sum, cvector_s8x16 a, cvector_s8x16 b) {
#if defined(__aarch64__)
  // The sum of two squared bytes fits an unsigned word.
  int16x8_t squares = vmull_s8(vget_low_s8((int8x16_t)a), vget_low_s8((int8x16_t)a));
  squares = vmlal_s8(squares, vget_low_s8((int8x16_t)b), vget_low_s8((int8x16_t)b));
  return (cvector_s32x4)vpadalq_u16((uint32x4_t)sum, (uint16x8_t)squares);
#else
  return cvector_add_products_low(cvector_add_products_low(sum, a, a), b, b);
#endif
}

/// sum plus the squares of lanes 8…15 of both, two neighbours to a lane of the sum.
CVECTOR cvector_s32x4 cvector_add_squares_high(cvector_s32x4 sum, cvector_s8x16 a, cvector_s8x16 b) {
#if defined(__aarch64__)
  int16x8_t squares = vmull_high_s8((int8x16_t)a, (int8x16_t)a);
  squares = vmlal_high_s8(squares, (int8x16_t)b, (int8x16_t)b);
  return (cvector_s32x4)vpadalq_u16((uint32x4_t)sum, (uint16x8_t)squares);
#else
  return cvector_add_products_high(cvector_add_products_high(sum, a, a), b, b);
#endif
}

/// The sums of neighbours: two of the first, then two of the second.
CVECTOR cvector_s32x4 cvector_pair_sums(cvector_s32x4 a, cvector_s32x4 b) {
#if defined(__aarch64__)
  return (cvector_s32x4)vpaddq_s32((int32x4_t)a, (int32x4_t)b);
#else
  cvector_s32x4 v;
  v.lo = a.even + a.odd;
  v.hi = b.even + b.odd;
  return v;
#endif
}

/// The sums of all lanes of both arguments; that of the first is in the low half.
CVECTOR uint64_t cvector_sums(cvector_s32x4 a, cvector_s32x4 b) {
#if defined(__aarch64__)
  int32x4_t pairs = vpaddq_s32((int32x4_t)a, (int32x4_t)b);
  return vgetq_lane_u64((uint64x2_t)vpaddq_s32(pairs, pairs), 0);
#elif defined(__SSE2__)
  __m128i pairs = _mm_add_epi32(_mm_unpacklo_epi64((__m128i)a, (__m128i)b), _mm_unpackhi_epi64((__m128i)a, (__m128i)b));
  pairs = _mm_add_epi32(pairs, _mm_srli_epi64(pairs, 32));
  return (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi32(pairs, 8));
#else
  return (uint32_t)(a.x + a.y + a.z + a.w) | (uint64_t)(uint32_t)(b.x + b.y + b.z + b.w) << 32;
#endif
}

/// The sum of the absolute differences of lanes 0…7.
CVECTOR uint32_t cvector_differences_low(cvector_u8x16 a, cvector_u8x16 b) {
#if defined(__aarch64__)
  return vaddlv_u8(vabd_u8(vget_low_u8((uint8x16_t)a), vget_low_u8((uint8x16_t)b)));
#elif defined(__SSE2__)
  return (uint32_t)_mm_cvtsi128_si32(_mm_sad_epu8((__m128i)a, (__m128i)b));
#else
  uint32_t sum = 0;
  for (int i = 0; i < 8; i++) sum += (uint32_t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
  return sum;
#endif
}

/// The least of lanes 0…7 in byte 0 and of lanes 8…15 in byte 1.
CVECTOR uint16_t cvector_least_of_halves(cvector_u8x16 v) {
#if defined(__aarch64__)
  uint8x8_t a = vpmin_u8(vget_low_u8((uint8x16_t)v), vget_high_u8((uint8x16_t)v));
  a = vpmin_u8(a, a);
  a = vpmin_u8(a, a);
  return vget_lane_u16(vreinterpret_u16_u8(a), 0);
#else
  cvector_u8x8 a = __builtin_elementwise_min(v.even, v.odd);
  a.s0145 = __builtin_elementwise_min(a.even, a.odd);
  return (uint16_t)((a.s0 < a.s1 ? a.s0 : a.s1) | (a.s4 < a.s5 ? a.s4 : a.s5) << 8);
#endif
}

/// The greatest of lanes 0…7 in byte 0 and of lanes 8…15 in byte 1.
CVECTOR uint16_t cvector_greatest_of_halves(cvector_u8x16 v) {
#if defined(__aarch64__)
  uint8x8_t a = vpmax_u8(vget_low_u8((uint8x16_t)v), vget_high_u8((uint8x16_t)v));
  a = vpmax_u8(a, a);
  a = vpmax_u8(a, a);
  return vget_lane_u16(vreinterpret_u16_u8(a), 0);
#else
  return (uint16_t)~cvector_least_of_halves(~v);
#endif
}

/// The rounded mean of each 2×2 pixels of two rows: (a0 + a1 + b0 + b1 + 2) >> 2.
CVECTOR cvector_u8x8 cvector_mean_2x2(cvector_u8x16 a, cvector_u8x16 b) {
#if defined(__aarch64__)
  return (cvector_u8x8)vrshrn_n_u16(vpadalq_u8(vpaddlq_u8((uint8x16_t)a), (uint8x16_t)b), 2);
#elif defined(__SSE2__)
  __m128i low = _mm_set1_epi16(0x00FF);
  __m128i sum = _mm_add_epi16(
      _mm_add_epi16(_mm_and_si128((__m128i)a, low), _mm_srli_epi16((__m128i)a, 8)),
      _mm_add_epi16(_mm_and_si128((__m128i)b, low), _mm_srli_epi16((__m128i)b, 8)));
  sum = _mm_srli_epi16(_mm_add_epi16(sum, _mm_set1_epi16(2)), 2);
  return ((cvector_u8x16)_mm_packus_epi16(sum, sum)).lo;
#else
  cvector_u16x8 sum = __builtin_convertvector(a.even, cvector_u16x8) + __builtin_convertvector(a.odd, cvector_u16x8) +
                      __builtin_convertvector(b.even, cvector_u16x8) + __builtin_convertvector(b.odd, cvector_u16x8);
  return __builtin_convertvector((sum + (cvector_u16x8)(uint16_t)2) >> (cvector_u16x8)(uint16_t)2, cvector_u8x8);
#endif
}

#endif
