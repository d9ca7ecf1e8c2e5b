// Colour arithmetic shared by the formats.

#ifndef CPICTURE_LUMA_H
#define CPICTURE_LUMA_H

#include <stdint.h>
#include <stdio.h>

#include "CPicture.h"

/// Rec. 601 luma of full-range RGB; the weights are 0.299, 0.587 and 0.114 times 65536.
static inline uint8_t cpicture_luma(uint8_t r, uint8_t g, uint8_t b) {
  return (uint8_t)((19595u * r + 38470u * g + 7471u * b + 32768u) >> 16);
}

/// a × b / 255, rounded.
static inline uint8_t cpicture_scale(uint8_t a, uint8_t b) {
  return (uint8_t)((2u * a * b + 255u) / 510u);
}

/// `luma` with opacity `alpha`, over a ground of 0 or 255.
static inline uint8_t cpicture_over(uint8_t luma, uint8_t alpha, uint8_t ground) {
  return cpicture_scale(luma ^ ground, alpha) ^ ground;
}

/// Whether more ground than picture is visible.
static inline int cpicture_is_transparent(uint8_t alpha) { return alpha < 128; }

static inline void cpicture_say(cpicture_detail *detail, const char *text) {
  snprintf(detail->text, sizeof detail->text, "%s", text);
}

#endif
