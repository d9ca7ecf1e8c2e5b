#include <stdlib.h>
#include <string.h>

#include "CPicture.h"
#include "luma.h"

#ifdef CPICTURE_MORE_FORMATS

#include <tiffio.h>

/// A read in progress; libtiff passes it to the callbacks.
typedef struct {
  const uint8_t *bytes;
  size_t count;
  /// May lie beyond the end.
  uint64_t place;
  int ran_out;
  cpicture_detail *detail;
} source;

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t wanted) {
  source *in = handle;
  size_t left = in->place < in->count ? in->count - (size_t)in->place : 0;
  size_t got = wanted < 0 ? 0 : (size_t)wanted;
  if (got > left) {
    got = left;
    in->ran_out = 1;
  }
  memcpy(target, in->bytes + (left > 0 ? in->place : 0), got);
  in->place += got;
  return (tmsize_t)got;
}

static tmsize_t write_nothing(thandle_t handle, void *bytes, tmsize_t count) {
  (void)handle, (void)bytes, (void)count;
  return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  source *in = handle;
  in->place = whence == SEEK_SET ? offset : whence == SEEK_CUR ? in->place + offset : in->count + offset;
  return in->place;
}

static toff_t size_of(thandle_t handle) { return ((source *)handle)->count; }

static int close_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

/// Keeps the first message: later ones are its consequences.
static int on_error(TIFF *tiff, void *context, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module;
  cpicture_detail *detail = ((source *)context)->detail;
  if (detail->text[0] == 0) vsnprintf(detail->text, sizeof detail->text, format, arguments);
  return 1;
}

static int on_warning(TIFF *tiff, void *context, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)context, (void)module, (void)format, (void)arguments;
  return 1;
}

static int fault(const source *in) { return in->ran_out ? CPICTURE_TRUNCATED : CPICTURE_CORRUPT; }

static TIFF *open_file(source *in, size_t memory_max) {
  in->detail->text[0] = 0;
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (options == NULL) return NULL;
  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, in);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, NULL);
  if (memory_max > 0) TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)memory_max);
  // Not mapped: libtiff then asks for each byte, and an end that comes too early shows.
  TIFF *tiff = TIFFClientOpenExt(
    "the file", "rm", in, read_bytes, write_nothing, seek, close_nothing, size_of, NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

int cpicture_tiff_pages(const uint8_t *bytes, size_t count, uint32_t *pages, cpicture_detail *detail) {
  source in = {bytes, count, 0, 0, detail};
  TIFF *tiff = open_file(&in, 0);
  if (tiff == NULL) return fault(&in);
  *pages = (uint32_t)TIFFNumberOfDirectories(tiff);
  TIFFClose(tiff);
  return 0;
}

int cpicture_tiff_size(
  const uint8_t *bytes, size_t count, uint32_t page, uint32_t *width, uint32_t *height, uint16_t *orientation,
  cpicture_detail *detail) {
  source in = {bytes, count, 0, 0, detail};
  TIFF *tiff = open_file(&in, 0);
  if (tiff == NULL) return fault(&in);
  int has_size = TIFFSetDirectory(tiff, (tdir_t)page) && TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, width)
    && TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, orientation);
  TIFFClose(tiff);
  return has_size ? 0 : fault(&in);
}

/// Luma of libtiff's pixels, whose colours are multiplied by their opacity already.
static void convert(const uint32_t *raster, size_t pixel_count, uint8_t *luma, cpicture_ground *ground) {
  for (size_t index = 0; index < pixel_count; index++) {
    uint32_t pixel = raster[index];
    uint8_t alpha = (uint8_t)TIFFGetA(pixel);
    unsigned shown = cpicture_luma((uint8_t)TIFFGetR(pixel), (uint8_t)TIFFGetG(pixel), (uint8_t)TIFFGetB(pixel));
    shown += cpicture_scale(ground->luma, (uint8_t)(255 - alpha));
    luma[index] = shown > 255 ? 255 : (uint8_t)shown;
    ground->is_visible |= cpicture_is_transparent(alpha);
  }
}

int cpicture_tiff_luma(
  const uint8_t *bytes, size_t count, uint32_t page, uint8_t *luma, size_t memory_max, cpicture_ground *ground,
  cpicture_detail *detail) {
  source in = {bytes, count, 0, 0, detail};
  TIFF *tiff = open_file(&in, memory_max);
  if (tiff == NULL) return fault(&in);
  int code = 0;
  char message[1024] = "";
  TIFFRGBAImage image;
  uint32_t *raster = NULL;
  if (!TIFFSetDirectory(tiff, (tdir_t)page)) {
    code = fault(&in);
  } else if (!TIFFRGBAImageOK(tiff, message)) {
    code = CPICTURE_UNSUPPORTED;
    cpicture_say(detail, message);
  } else if (!TIFFRGBAImageBegin(&image, tiff, 1, message)) {
    code = fault(&in);
    if (detail->text[0] == 0) cpicture_say(detail, message);
  } else {
    // Rows as they are stored: the caller turns the picture.
    image.orientation = image.req_orientation = ORIENTATION_TOPLEFT;
    raster = malloc((size_t)image.width * image.height * sizeof *raster);
    if (raster == NULL) code = CPICTURE_NO_MEMORY;
    else if (!TIFFRGBAImageGet(&image, raster, image.width, image.height)) code = fault(&in);
    else convert(raster, (size_t)image.width * image.height, luma, ground);
    TIFFRGBAImageEnd(&image);
  }
  free(raster);
  TIFFClose(tiff);
  return code;
}

#else

int cpicture_tiff_pages(const uint8_t *bytes, size_t count, uint32_t *pages, cpicture_detail *detail) {
  (void)bytes, (void)count, (void)pages;
  detail->text[0] = 0;
  return CPICTURE_NO_LIBRARY;
}

int cpicture_tiff_size(
  const uint8_t *bytes, size_t count, uint32_t page, uint32_t *width, uint32_t *height, uint16_t *orientation,
  cpicture_detail *detail) {
  (void)page, (void)width, (void)height, (void)orientation;
  return cpicture_tiff_pages(bytes, count, NULL, detail);
}

int cpicture_tiff_luma(
  const uint8_t *bytes, size_t count, uint32_t page, uint8_t *luma, size_t memory_max, cpicture_ground *ground,
  cpicture_detail *detail) {
  (void)page, (void)luma, (void)memory_max, (void)ground;
  return cpicture_tiff_pages(bytes, count, NULL, detail);
}

#endif
