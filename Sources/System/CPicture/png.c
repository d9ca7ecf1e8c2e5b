#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "CPicture.h"
#include "luma.h"

/// A read in progress; libpng passes it to the callbacks.
typedef struct {
  const uint8_t *bytes;
  size_t left;
  int code;
  cpicture_detail *detail;
} source;

static void on_error(png_structp png, png_const_charp message) {
  source *in = png_get_error_ptr(png);
  cpicture_say(in->detail, message);
  if (in->code == 0) in->code = CPICTURE_CORRUPT;
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void *take(png_structp png, png_alloc_size_t count) {
  void *memory = malloc(count);
  source *in = png_get_mem_ptr(png);
  if (memory == NULL) in->code = CPICTURE_NO_MEMORY;
  return memory;
}

static void give_back(png_structp png, void *memory) {
  (void)png;
  free(memory);
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
  source *in = png_get_io_ptr(png);
  if (count > in->left) {
    in->code = CPICTURE_TRUNCATED;
    png_error(png, "the data end too early");
  }
  memcpy(target, in->bytes, count);
  in->bytes += count;
  in->left -= count;
}

static png_structp make_reader(source *in) {
  png_structp png = png_create_read_struct_2(
    PNG_LIBPNG_VER_STRING, in, on_error, on_warning, in, take, give_back);
  if (png == NULL) {
    in->code = CPICTURE_NO_MEMORY;
    return NULL;
  }
  png_set_read_fn(png, in, read_bytes);
  // The caller limits the sides, which it reads before any row. Text and profile chunks are not needed here.
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_chunk_cache_max(png, 64);
  png_set_chunk_malloc_max(png, 1 << 20);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  return png;
}

int cpicture_png_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail) {
  source in = {bytes, count, 0, detail};
  detail->text[0] = 0;
  png_structp png = make_reader(&in);
  if (png == NULL) return in.code;
  png_infop info = png_create_info_struct(png);
  if (info == NULL || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return in.code != 0 ? in.code : CPICTURE_NO_MEMORY;
  }
  png_read_info(png, info);
  *width = png_get_image_width(png, info);
  *height = png_get_image_height(png, info);
  png_destroy_read_struct(&png, &info, NULL);
  return 0;
}

/// Luma of a row of 8-bit samples, written `step` bytes apart.
static void convert_row(
  const uint8_t *row, size_t width, int channels, uint8_t *luma, size_t step, cpicture_ground *ground) {
  const uint8_t under = ground->luma;
  switch (channels) {
    case 1:
      for (size_t x = 0; x < width; x++) luma[x * step] = row[x];
      break;
    case 2:
      for (size_t x = 0; x < width; x++) {
        luma[x * step] = cpicture_over(row[2 * x], row[2 * x + 1], under);
        ground->is_visible |= cpicture_is_transparent(row[2 * x + 1]);
      }
      break;
    case 3:
      for (size_t x = 0; x < width; x++) luma[x * step] = cpicture_luma(row[3 * x], row[3 * x + 1], row[3 * x + 2]);
      break;
    default:
      for (size_t x = 0; x < width; x++) {
        const uint8_t *pixel = row + 4 * x;
        luma[x * step] = cpicture_over(cpicture_luma(pixel[0], pixel[1], pixel[2]), pixel[3], under);
        ground->is_visible |= cpicture_is_transparent(pixel[3]);
      }
  }
}

/// Reads all rows. An interlaced picture comes as seven small pictures, whose pixels are stored individually: libpng's own
/// method would need the whole picture in colour.
static void read_rows(png_structp png, png_infop info, uint8_t *row, uint8_t *luma, cpicture_ground *ground) {
  size_t width = png_get_image_width(png, info);
  size_t height = png_get_image_height(png, info);
  int channels = png_get_channels(png, info);
  if (png_get_interlace_type(png, info) == PNG_INTERLACE_NONE) {
    for (size_t y = 0; y < height; y++) {
      png_read_row(png, row, NULL);
      convert_row(row, width, channels, luma + y * width, 1, ground);
    }
    return;
  }
  for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
    size_t columns = PNG_PASS_COLS(width, pass);
    size_t rows = PNG_PASS_ROWS(height, pass);
    if (columns == 0) continue;
    for (size_t y = 0; y < rows; y++) {
      png_read_row(png, row, NULL);
      uint8_t *first = luma + PNG_ROW_FROM_PASS_ROW(y, pass) * width + PNG_COL_FROM_PASS_COL(0, pass);
      convert_row(row, columns, channels, first, (size_t)1 << PNG_PASS_COL_SHIFT(pass), ground);
    }
  }
}

int cpicture_png_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_ground *ground, cpicture_detail *detail) {
  source in = {bytes, count, 0, detail};
  detail->text[0] = 0;
  png_structp png = make_reader(&in);
  if (png == NULL) return in.code;
  png_infop info = png_create_info_struct(png);
  uint8_t *volatile row = NULL;
  if (info == NULL || setjmp(png_jmpbuf(png))) {
    free(row);
    png_destroy_read_struct(&png, &info, NULL);
    return in.code != 0 ? in.code : CPICTURE_NO_MEMORY;
  }
  png_read_info(png, info);
  png_set_expand(png);
  png_set_scale_16(png);
  png_read_update_info(png, info);
  row = malloc(png_get_rowbytes(png, info));
  if (row == NULL) {
    in.code = CPICTURE_NO_MEMORY;
    png_error(png, "no memory for a row");
  }
  read_rows(png, info, row, luma, ground);
  png_read_end(png, NULL);
  free(row);
  png_destroy_read_struct(&png, &info, NULL);
  return 0;
}

/// A write in progress.
typedef struct {
  cpicture_sink sink;
  void *context;
  int code;
  cpicture_detail *detail;
} target;

static void on_write_error(png_structp png, png_const_charp message) {
  target *out = png_get_error_ptr(png);
  cpicture_say(out->detail, message);
  if (out->code == 0) out->code = CPICTURE_CORRUPT;
  png_longjmp(png, 1);
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
  target *out = png_get_io_ptr(png);
  if (out->sink(out->context, bytes, count) != 0) png_error(png, "the data were not taken");
}

static void flush_nothing(png_structp png) { (void)png; }

int cpicture_png_write(
  const uint8_t *pixels, uint32_t width, uint32_t height, size_t bytes_per_row, int channels, cpicture_sink sink,
  void *context, cpicture_detail *detail) {
  target out = {sink, context, 0, detail};
  detail->text[0] = 0;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &out, on_write_error, on_warning);
  if (png == NULL) return CPICTURE_NO_MEMORY;
  png_infop info = png_create_info_struct(png);
  if (info == NULL || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return out.code != 0 ? out.code : CPICTURE_NO_MEMORY;
  }
  png_set_write_fn(png, &out, write_bytes, flush_nothing);
  png_set_IHDR(
    png, info, width, height, 8, channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
    PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (uint32_t y = 0; y < height; y++) png_write_row(png, pixels + y * bytes_per_row);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  return 0;
}
