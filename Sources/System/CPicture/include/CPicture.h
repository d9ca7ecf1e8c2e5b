// Picture files to 8-bit luma and back, over libpng, libjpeg-turbo and libwebp; with CPICTURE_MORE_FORMATS also over libtiff
// and giflib; and over libheif where the machine has it, which is looked for when it is first needed.
//
// Swift cannot call libpng and libjpeg itself: both report errors through longjmp, which must not cross Swift frames. The
// functions here catch it, use the caller's memory, and make no decisions: limits are arguments, results are codes and the
// library's own messages. All of them block, none keeps state but the address of libheif, and each may be called from any thread.

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
  /// The library is not on this machine, or not in this build.
  CPICTURE_NO_LIBRARY = -5,
};

/// The size of a `cpicture_detail` in bytes, including the final 0.
#define CPICTURE_DETAIL_BYTES 200

/// The library's message about an error; an empty string if it gave none.
typedef struct {
  char text[CPICTURE_DETAIL_BYTES];
} cpicture_detail;

/// The ground below the transparent parts of a picture.
typedef struct {
  /// 0 for black, 255 for white.
  uint8_t luma;
  /// Becomes 1 if the ground shows through anywhere by more than half; never becomes 0.
  int is_visible;
} cpicture_ground;

/// Width and height of a PNG, in pixels, from its header alone. Allocates a few kilobytes.
int cpicture_png_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail);

/// Writes the picture's luma, composited over the ground, to `luma`, which has height × width bytes without gaps, with the size
/// from `cpicture_png_size`. Colours become luma by Rec. 601 as round(0.299 R + 0.587 G + 0.114 B) in 16-bit fractions;
/// gamma and colour profiles are ignored. Allocates one row.
int cpicture_png_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_ground *ground, cpicture_detail *detail);

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
int cpicture_webp_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_ground *ground, cpicture_detail *detail);

/// Width and height of the screen of a GIF, in pixels, from its header alone.
int cpicture_gif_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail);

/// Writes the luma of a GIF's first picture to `luma`, like `cpicture_png_luma`. Parts of the screen that the picture leaves
/// free are ground. Allocates one row, and the working memory of giflib.
int cpicture_gif_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_ground *ground, cpicture_detail *detail);

/// The number of pages of a TIFF. Reads only what links them.
int cpicture_tiff_pages(const uint8_t *bytes, size_t count, uint32_t *pages, cpicture_detail *detail);

/// Width and height of a page of a TIFF, counted from 0, in pixels as stored, and its orientation as the tag says: 1…8.
int cpicture_tiff_size(
  const uint8_t *bytes, size_t count, uint32_t page, uint32_t *width, uint32_t *height, uint16_t *orientation,
  cpicture_detail *detail);

/// Writes the luma of a page of a TIFF to `luma`, like `cpicture_png_luma`, as stored. Allocates 4 bytes per pixel, and the
/// working memory of libtiff, which gets at most `memory_max` bytes at a time.
int cpicture_tiff_luma(
  const uint8_t *bytes, size_t count, uint32_t page, uint8_t *luma, size_t memory_max, cpicture_ground *ground,
  cpicture_detail *detail);

/// Width and height of the main picture of a HEIF or AVIF, in pixels as a viewer shows it.
int cpicture_heif_size(
  const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, int side_max, cpicture_detail *detail);

/// Writes the luma of the main picture of a HEIF or AVIF to `luma`, like `cpicture_png_luma`, turned as a viewer shows it.
/// Pictures of more than `side_max` squared pixels are refused. Allocates 4 bytes per pixel and the planes of the picture.
int cpicture_heif_luma(
  const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, uint8_t *luma, int side_max, cpicture_ground *ground,
  cpicture_detail *detail);

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

/// A file in memory that has no name, closed when another program starts. Returns its descriptor, or -1 with errno.
int cpicture_memory_file(void);

/// Limits the address space of another process, in bytes, and its time on processors, in seconds. Returns 0, or -1 with errno.
int cpicture_limit_process(int process, size_t memory_max, unsigned seconds_max);

#endif
