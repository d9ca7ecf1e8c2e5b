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
  /// The data had ended when the library asked for more.
  int ran_out;
  /// A scan had to be filled up because its data ended.
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

/// All bytes were there from the start, so this is their end: an end marker makes the library finish what it has.
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

/// Luma of a row of CMYK samples where 255 is no ink; files without Adobe's marker store it the other way round.
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

/// Gives up once rows are filled up instead of read: the rest of a large picture would cost its whole time.
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

int cpicture_jpeg_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, size_t memory_max, int scans_max, cpicture_detail *detail) {
  reader in;
  prepare(&in, detail);
  in.scans_max = scans_max;
  if (setjmp(in.escape)) {
    jpeg_destroy_decompress(&in.jpeg);
    return in.code;
  }
  begin(&in, bytes, count);
  in.jpeg.mem->max_memory_to_use = (long)memory_max;
  switch (in.jpeg.jpeg_color_space) {
    case JCS_CMYK:
    case JCS_YCCK:
      in.jpeg.out_color_space = JCS_CMYK;
      break;
    default:
      in.jpeg.out_color_space = JCS_GRAYSCALE;
  }
  jpeg_start_decompress(&in.jpeg);
  // A single scan whose rows are all there may lack the end marker; of several scans, which are all read by now, some would
  // be missing.
  if (in.ran_out && jpeg_has_multiple_scans(&in.jpeg)) give_up(&in, CPICTURE_TRUNCATED);
  read_rows(&in, luma);
  jpeg_destroy_decompress(&in.jpeg);
  return in.data_missing || in.is_corrupt ? CPICTURE_CORRUPT : 0;
}
