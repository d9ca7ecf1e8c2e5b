#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// jpeglib.h needs stdio.h before it.
#include <jpeglib.h>

#include <jerror.h>

#include "CPicture.h"
#include "luma.h"

/// A read in progress. The library's own structs come first in their parts, so that callbacks can find the rest.
typedef struct {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr bytes;
  struct jpeg_progress_mgr progress;
  jmp_buf escape;
  int code;
  int scans_max;
  /// Whether the library asked for more data after the end.
  int ran_out;
  /// Whether a scan was filled up because its data ended.
  int data_missing;
  int is_corrupt;
  cpicture_detail *detail;
} reader;

static reader *reader_of(j_common_ptr jpeg) { return jpeg->client_data; }

_Noreturn static void give_up(reader *in, int code) {
  in->code = code;
  longjmp(in->escape, 1);
}

_Noreturn static void on_error(j_common_ptr jpeg) {
  reader *in = reader_of(jpeg);
  char message[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, message);
  cpicture_say(in->detail, message);
  switch (jpeg->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
      give_up(in, CPICTURE_NO_MEMORY);
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
      give_up(in, CPICTURE_UNSUPPORTED);
    default:
      give_up(in, in->ran_out ? CPICTURE_TRUNCATED : CPICTURE_CORRUPT);
  }
}

static void on_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  reader *in = reader_of(jpeg);
  jpeg->err->num_warnings++;
  switch (jpeg->err->msg_code) {
    case JWRN_HIT_MARKER:
      in->data_missing = 1;
      break;
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      in->is_corrupt = 1;
      break;
    default:
      return;
  }
  char message[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, message);
  cpicture_say(in->detail, message);
}

static void nothing(j_decompress_ptr jpeg) { (void)jpeg; }

/// All bytes were available from the start, so this is their end: an end marker makes the library finish.
static boolean fill(j_decompress_ptr jpeg) {
  static const JOCTET end[2] = {0xff, JPEG_EOI};
  reader_of((j_common_ptr)jpeg)->ran_out = 1;
  jpeg->src->next_input_byte = end;
  jpeg->src->bytes_in_buffer = 2;
  return TRUE;
}

static void skip(j_decompress_ptr jpeg, long count) {
  if (count <= 0) return;
  if ((size_t)count > jpeg->src->bytes_in_buffer) {
    fill(jpeg);
    return;
  }
  jpeg->src->next_input_byte += count;
  jpeg->src->bytes_in_buffer -= (size_t)count;
}

static void count_scans(j_common_ptr jpeg) {
  reader *in = reader_of(jpeg);
  if (in->jpeg.input_scan_number <= in->scans_max) return;
  cpicture_say(in->detail, "too many scans");
  give_up(in, CPICTURE_UNSUPPORTED);
}

/// Prepares the reader and reads the header. The caller has set `escape`, and destroys `jpeg` afterwards.
static void begin(reader *in, const uint8_t *bytes, size_t count) {
  jpeg_create_decompress(&in->jpeg);
  in->jpeg.client_data = in;
  in->bytes.init_source = nothing;
  in->bytes.fill_input_buffer = fill;
  in->bytes.skip_input_data = skip;
  in->bytes.resync_to_restart = jpeg_resync_to_restart;
  in->bytes.term_source = nothing;
  in->bytes.next_input_byte = bytes;
  in->bytes.bytes_in_buffer = count;
  in->jpeg.src = &in->bytes;
  in->progress.progress_monitor = count_scans;
  in->jpeg.progress = &in->progress;
  jpeg_read_header(&in->jpeg, TRUE);
}

static void prepare(reader *in, cpicture_detail *detail) {
  memset(in, 0, sizeof *in);
  detail->text[0] = 0;
  in->detail = detail;
  in->scans_max = 1;
  in->jpeg.err = jpeg_std_error(&in->errors);
  in->errors.error_exit = on_error;
  in->errors.emit_message = on_message;
  in->jpeg.client_data = in;
}

int cpicture_jpeg_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail) {
  reader in;
  prepare(&in, detail);
  if (setjmp(in.escape)) {
    jpeg_destroy_decompress(&in.jpeg);
    return in.code;
  }
  begin(&in, bytes, count);
  *width = in.jpeg.image_width;
  *height = in.jpeg.image_height;
  jpeg_destroy_decompress(&in.jpeg);
  return 0;
}

/// Luma of a row of CMYK samples, where 255 is no ink; files without Adobe's marker store the inverse.
static void convert_cmyk(const uint8_t *row, size_t width, int is_adobe, uint8_t *luma) {
  uint8_t flip = is_adobe ? 0 : 255;
  for (size_t x = 0; x < width; x++) {
    uint8_t black = row[4 * x + 3] ^ flip;
    uint8_t r = cpicture_scale(row[4 * x] ^ flip, black);
    uint8_t g = cpicture_scale(row[4 * x + 1] ^ flip, black);
    uint8_t b = cpicture_scale(row[4 * x + 2] ^ flip, black);
    luma[x] = cpicture_luma(r, g, b);
  }
}

/// Aborts once rows are filled up instead of read: the rest of a large picture would still cost its full time.
static void check_data(reader *in) {
  if (in->ran_out && in->data_missing) give_up(in, CPICTURE_TRUNCATED);
}

static void read_rows(reader *in, uint8_t *luma) {
  struct jpeg_decompress_struct *jpeg = &in->jpeg;
  size_t width = jpeg->output_width;
  if (jpeg->out_color_space == JCS_CMYK) {
    JSAMPARRAY row = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, (JDIMENSION)(4 * width), 1);
    while (jpeg->output_scanline < jpeg->output_height) {
      uint8_t *to = luma + jpeg->output_scanline * width;
      jpeg_read_scanlines(jpeg, row, 1);
      check_data(in);
      convert_cmyk(row[0], width, jpeg->saw_Adobe_marker, to);
    }
    return;
  }
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW rows[4];
    JDIMENSION count = 0;
    while (count < 4 && jpeg->output_scanline + count < jpeg->output_height) {
      rows[count] = luma + (jpeg->output_scanline + count) * width;
      count++;
    }
    jpeg_read_scanlines(jpeg, rows, count);
    check_data(in);
  }
}

/// Whether luma is stored for every pixel, and both colours equally often: for all, or for every other one each way.
static int has_plain_colour(const struct jpeg_decompress_struct *jpeg) {
  if (jpeg->jpeg_color_space != JCS_YCbCr || jpeg->num_components != 3) return 0;
  const jpeg_component_info *part = jpeg->comp_info;
  if (part[0].h_samp_factor != jpeg->max_h_samp_factor || part[0].v_samp_factor != jpeg->max_v_samp_factor) return 0;
  if (part[1].h_samp_factor != part[2].h_samp_factor || part[1].v_samp_factor != part[2].v_samp_factor) return 0;
  int wide = jpeg->max_h_samp_factor / part[1].h_samp_factor;
  int tall = jpeg->max_v_samp_factor / part[1].v_samp_factor;
  return wide * part[1].h_samp_factor == jpeg->max_h_samp_factor && tall * part[1].v_samp_factor == jpeg->max_v_samp_factor
    && wide <= 2 && tall <= 2;
}

/// Writes a row of Cb or Cr for every other pixel: the mean of the values in two rows. `step` is 1 if the rows have only
/// half of the pixels already; `last` is the index of their last sample.
static void put_colour(const uint8_t *upper, const uint8_t *lower, size_t step, size_t last, size_t count, uint8_t *to) {
  for (size_t x = 0; x < count; x++) {
    size_t left = x * step;
    size_t right = left + step - 1 < last ? left + step - 1 : last;
    to[2 * x] = (uint8_t)((upper[left] + upper[right] + lower[left] + lower[right] + 2) >> 2);
  }
}

/// Reads the planes as stored, several rows at a time; the numbers of rows are even.
static void read_planes(reader *in, uint8_t *luma, uint8_t *pairs) {
  struct jpeg_decompress_struct *jpeg = &in->jpeg;
  JSAMPARRAY planes[3];
  for (int index = 0; index < 3; index++) {
    const jpeg_component_info *part = &jpeg->comp_info[index];
    planes[index] = jpeg->mem->alloc_sarray(
      (j_common_ptr)jpeg, JPOOL_IMAGE, part->width_in_blocks * DCTSIZE, (JDIMENSION)(part->v_samp_factor * DCTSIZE));
  }
  const size_t width = jpeg->output_width, columns = (width + 1) / 2;
  const size_t step = jpeg->max_h_samp_factor == jpeg->comp_info[1].h_samp_factor ? 2 : 1;
  const size_t row_step = jpeg->max_v_samp_factor == jpeg->comp_info[1].v_samp_factor ? 2 : 1;
  const size_t last = step == 2 ? width - 1 : columns - 1;
  while (jpeg->output_scanline < jpeg->output_height) {
    size_t top = jpeg->output_scanline, count = (size_t)(jpeg->max_v_samp_factor * DCTSIZE);
    jpeg_read_raw_data(jpeg, planes, (JDIMENSION)count);
    check_data(in);
    if (count > jpeg->output_height - top) count = jpeg->output_height - top;
    for (size_t y = 0; y < count; y++) memcpy(luma + (top + y) * width, planes[0][y], width);
    for (size_t y = 0; 2 * y < count; y++) {
      size_t upper = y * row_step;
      size_t lower = row_step == 2 && upper + 1 < count ? upper + 1 : upper;
      uint8_t *to = pairs + (top / 2 + y) * 2 * columns;
      put_colour(planes[1][upper], planes[1][lower], step, last, columns, to);
      put_colour(planes[2][upper], planes[2][lower], step, last, columns, to + 1);
    }
  }
}

int cpicture_jpeg_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, size_t memory_max, int scans_max, cpicture_detail *detail) {
  int is_coloured;
  return cpicture_jpeg_colour(bytes, count, luma, NULL, &is_coloured, memory_max, scans_max, detail);
}

int cpicture_jpeg_colour(
  const uint8_t *bytes, size_t count, uint8_t *luma, uint8_t *pairs, int *is_coloured, size_t memory_max, int scans_max,
  cpicture_detail *detail) {
  reader in;
  prepare(&in, detail);
  in.scans_max = scans_max;
  *is_coloured = 0;
  if (setjmp(in.escape)) {
    jpeg_destroy_decompress(&in.jpeg);
    return in.code;
  }
  begin(&in, bytes, count);
  in.jpeg.mem->max_memory_to_use = (long)memory_max;
  *is_coloured = pairs && has_plain_colour(&in.jpeg);
  switch (in.jpeg.jpeg_color_space) {
    case JCS_CMYK:
    case JCS_YCCK:
      in.jpeg.out_color_space = JCS_CMYK;
      break;
    default:
      in.jpeg.out_color_space = *is_coloured ? JCS_YCbCr : JCS_GRAYSCALE;
  }
  in.jpeg.raw_data_out = *is_coloured ? TRUE : FALSE;
  jpeg_start_decompress(&in.jpeg);
  // A single scan with all rows may lack the end marker; of several scans, which are all read by now, some would be missing.
  if (in.ran_out && jpeg_has_multiple_scans(&in.jpeg)) give_up(&in, CPICTURE_TRUNCATED);
  if (*is_coloured)
    read_planes(&in, luma, pairs);
  else
    read_rows(&in, luma);
  jpeg_destroy_decompress(&in.jpeg);
  return in.data_missing || in.is_corrupt ? CPICTURE_CORRUPT : 0;
}

/// A write in progress.
typedef struct {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  cpicture_detail *detail;
  /// The file, allocated by libjpeg.
  unsigned char *file;
  unsigned long length;
  int code;
} writer;

static void on_write_error(j_common_ptr jpeg) {
  writer *out = jpeg->client_data;
  char message[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, message);
  cpicture_say(out->detail, message);
  out->code = jpeg->err->msg_code == JERR_OUT_OF_MEMORY ? CPICTURE_NO_MEMORY : CPICTURE_UNSUPPORTED;
  longjmp(out->escape, 1);
}

static void write_grey(
  writer *out, const uint8_t *luma, uint32_t width, uint32_t height, size_t bytes_per_row, int quality) {
  struct jpeg_compress_struct *jpeg = &out->jpeg;
  jpeg_create_compress(jpeg);
  jpeg_mem_dest(jpeg, &out->file, &out->length);
  jpeg->image_width = width;
  jpeg->image_height = height;
  jpeg->input_components = 1;
  jpeg->in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(jpeg);
  jpeg_set_quality(jpeg, quality, TRUE);
  jpeg_start_compress(jpeg, TRUE);
  while (jpeg->next_scanline < jpeg->image_height) {
    JSAMPROW row = (JSAMPROW)(luma + jpeg->next_scanline * bytes_per_row);
    jpeg_write_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_compress(jpeg);
}

int cpicture_jpeg_write(
  const uint8_t *luma, uint32_t width, uint32_t height, size_t bytes_per_row, int quality, cpicture_sink sink,
  void *context, cpicture_detail *detail) {
  writer out;
  memset(&out, 0, sizeof out);
  detail->text[0] = 0;
  out.detail = detail;
  out.jpeg.err = jpeg_std_error(&out.errors);
  out.errors.error_exit = on_write_error;
  out.jpeg.client_data = &out;
  if (!setjmp(out.escape)) write_grey(&out, luma, width, height, bytes_per_row, quality);
  jpeg_destroy_compress(&out.jpeg);
  if (out.code == 0 && sink(context, out.file, out.length) != 0) out.code = CPICTURE_CORRUPT;
  free(out.file);
  return out.code;
}
