// Picture files to 8-bit luma and back, over libpng, libjpeg-turbo and libwebp.
//
// Swift cannot call libpng and libjpeg itself: both report errors through longjmp, which must not pass Swift frames. The
// functions here catch it, take and fill memory of the caller, and decide nothing: limits come in, codes and the library's
// own words go out. All of them block, none keeps state, and each may be called from any thread.

#ifndef CPICTURE_H
#define CPICTURE_H

#include <stddef.h>
#include <stdint.h>

/// What went wrong; the functions return 0 or one of these.
enum {
  /// The bytes end before the picture does.
  CPICTURE_TRUNCATED = -1,
  /// The bytes break the rules of their format.
  CPICTURE_CORRUPT = -2,
  /// The bytes keep the rules, but use a part of the format that the library does not read.
  CPICTURE_UNSUPPORTED = -3,
  /// malloc refused, or a limit that was given would have been passed.
  CPICTURE_NO_MEMORY = -4,
};

/// Bytes of a `cpicture_detail`, its final 0 included.
#define CPICTURE_DETAIL_BYTES 200

/// What the library said about an error; an empty string if it said nothing.
typedef struct {
  char text[CPICTURE_DETAIL_BYTES];
} cpicture_detail;

/// Width and height of a PNG, in pixels, from its header alone. Takes a few kilobytes of memory.
int cpicture_png_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail);

/// Writes the picture's luma, composited over white, to `luma`, which has height × width bytes without gaps by the size
/// that `cpicture_png_size` gave. Colours become luma by Rec. 601 as round(0.299 R + 0.587 G + 0.114 B) in 16-bit fractions;
/// gamma and colour profiles are passed over. Takes memory for one row.
int cpicture_png_luma(const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_detail *detail);

/// Width and height of a JPEG, in pixels, from its header alone.
int cpicture_jpeg_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail);

/// Writes the picture's luma to `luma`, as `cpicture_png_luma` does. Of a YCbCr picture the Y plane alone is decoded.
///
/// `memory_max` bounds the bytes that libjpeg may take for a progressive picture, and `scans_max` the scans of one, each of
/// which costs a pass over the picture.
int cpicture_jpeg_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, size_t memory_max, int scans_max, cpicture_detail *detail);

/// As `cpicture_jpeg_luma`, and the picture's colour besides, as cameras' pictures have it: pairs of Cb and Cr, one for 2×2
/// pixels, (width + 1) / 2 of them in each of (height + 1) / 2 rows without gaps, 128 for none. `is_coloured` becomes 0 if the
/// picture has none, or keeps it in another way; `pairs` is then left alone. NULL for `pairs` takes the luma alone.
int cpicture_jpeg_colour(
  const uint8_t *bytes, size_t count, uint8_t *luma, uint8_t *pairs, int *is_coloured, size_t memory_max, int scans_max,
  cpicture_detail *detail);

/// Width and height of a WebP still picture, in pixels, from its header alone.
int cpicture_webp_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail);

/// Writes the picture's luma to `luma`, as `cpicture_png_luma` does. Of a lossy picture the Y plane is taken, stretched from
/// 16…235 to 0…255. Takes memory for planes that are not wanted: half a byte a pixel, one and a half with alpha, 4 if the
/// picture is lossless.
int cpicture_webp_luma(const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_detail *detail);

/// Receives written bytes; returns 0 to go on, anything else to give up.
typedef int (*cpicture_sink)(void *context, const uint8_t *bytes, size_t count);

/// Writes a PNG of 8-bit samples: grey if `channels` is 1, RGB if it is 3. Rows are `bytes_per_row` apart.
/// Returns CPICTURE_CORRUPT if the sink gave up.
int cpicture_png_write(
  const uint8_t *pixels, uint32_t width, uint32_t height, size_t bytes_per_row, int channels, cpicture_sink sink,
  void *context, cpicture_detail *detail);

#endif
