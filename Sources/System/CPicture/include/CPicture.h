// Picture files to 8-bit luma and back, over libpng, libjpeg-turbo and libwebp.
//
// Swift cannot call libpng and libjpeg itself: both report errors through longjmp, which must not cross Swift frames. The
// functions here catch it, use the caller's memory, and make no decisions: limits are arguments, results are codes and the
// library's own messages. All of them block, none keeps state, and each may be called from any thread.

#ifndef CPICTURE_H
#define CPICTURE_H

#include <stddef.h>
#include <stdint.h>

/// Error codes; the functions return 0 or one of these.
enum {
  /// The bytes end before the picture does.
  CPICTURE_TRUNCATED = -1,
  /// The bytes violate their format.
  CPICTURE_CORRUPT = -2,
  /// The bytes are valid, but use a part of the format that the library does not support.
  CPICTURE_UNSUPPORTED = -3,
  /// malloc failed, or a given limit would have been exceeded.
  CPICTURE_NO_MEMORY = -4,
};

/// The size of a `cpicture_detail` in bytes, including the final 0.
#define CPICTURE_DETAIL_BYTES 200

/// The library's message about an error; an empty string if it gave none.
typedef struct {
  char text[CPICTURE_DETAIL_BYTES];
} cpicture_detail;

/// Width and height of a PNG, in pixels, from its header alone. Allocates a few kilobytes.
int cpicture_png_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail);

/// Writes the picture's luma, composited over white, to `luma`, which has height × width bytes without gaps, with the size
/// from `cpicture_png_size`. Colours become luma by Rec. 601 as round(0.299 R + 0.587 G + 0.114 B) in 16-bit fractions;
/// gamma and colour profiles are ignored. Allocates one row.
int cpicture_png_luma(const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_detail *detail);

/// Width and height of a JPEG, in pixels, from its header alone.
int cpicture_jpeg_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail);

/// Writes the picture's luma to `luma`, like `cpicture_png_luma`. For a YCbCr picture, only the Y plane is decoded.
///
/// `memory_max` limits the bytes that libjpeg may allocate for a progressive picture, and `scans_max` its scans, each of
/// which costs a pass over the picture.
int cpicture_jpeg_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, size_t memory_max, int scans_max, cpicture_detail *detail);

/// Like `cpicture_jpeg_luma`, plus the picture's colour in the layout of camera frames: pairs of Cb and Cr, one per 2×2
/// pixels, (width + 1) / 2 of them in each of (height + 1) / 2 rows without gaps, 128 for neutral. `is_coloured` becomes 0
/// if the picture is grey, or stores colour in another way; `pairs` then stays unchanged. If `pairs` is NULL, only luma is
/// read.
int cpicture_jpeg_colour(
  const uint8_t *bytes, size_t count, uint8_t *luma, uint8_t *pairs, int *is_coloured, size_t memory_max, int scans_max,
  cpicture_detail *detail);

/// Width and height of a WebP still picture, in pixels, from its header alone.
int cpicture_webp_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail);

/// Writes the picture's luma to `luma`, like `cpicture_png_luma`. For a lossy picture the Y plane is used, stretched from
/// 16…235 to 0…255. Allocates the unused planes: half a byte per pixel, one and a half with alpha, 4 if the picture is
/// lossless.
int cpicture_webp_luma(const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_detail *detail);

/// Receives written bytes; returns 0 to continue, any other value to abort.
typedef int (*cpicture_sink)(void *context, const uint8_t *bytes, size_t count);

/// Writes a PNG of 8-bit samples: grey if `channels` is 1, RGB if it is 3. Rows are `bytes_per_row` apart. Returns
/// CPICTURE_CORRUPT if the sink aborted.
int cpicture_png_write(
  const uint8_t *pixels, uint32_t width, uint32_t height, size_t bytes_per_row, int channels, cpicture_sink sink,
  void *context, cpicture_detail *detail);

/// Writes a grey JPEG of 8-bit luma. Rows are `bytes_per_row` apart; sides are 1…65535 pixels, `quality` is 1…100. Returns
/// CPICTURE_CORRUPT if the sink aborted. Allocates a few rows.
int cpicture_jpeg_write(
  const uint8_t *luma, uint32_t width, uint32_t height, size_t bytes_per_row, int quality, cpicture_sink sink,
  void *context, cpicture_detail *detail);

/// Writes a lossy WebP of 8-bit luma with neutral colour, like `cpicture_jpeg_write`; sides are 1…16383 pixels. Luma is
/// stored in the video range 16…235, which `cpicture_webp_luma` reverses. Allocates one and a half bytes per pixel, and the
/// working memory of libwebp.
int cpicture_webp_write(
  const uint8_t *luma, uint32_t width, uint32_t height, size_t bytes_per_row, int quality, cpicture_sink sink,
  void *context, cpicture_detail *detail);

#endif
