#include "CPictureWriter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// jpeglib.h needs stdio.h before it.
#include <jpeglib.h>
#include <sys/fsuid.h>
#include <webp/encode.h>

size_t cpicturewriter_jpeg(
  const uint8_t *pixels, int width, int height, int channels, int quality, int is_progressive, uint8_t **file) {
  return cpicturewriter_camera_jpeg(pixels, width, height, channels, quality, is_progressive, 2, 2, file);
}

size_t cpicturewriter_camera_jpeg(
  const uint8_t *pixels, int width, int height, int channels, int quality, int is_progressive, int wide, int tall,
  uint8_t **file) {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  unsigned long length = 0;
  *file = NULL;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, file, &length);
  jpeg.image_width = (JDIMENSION)width;
  jpeg.image_height = (JDIMENSION)height;
  jpeg.input_components = channels;
  jpeg.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  if (channels == 3) {
    jpeg.comp_info[0].h_samp_factor = wide;
    jpeg.comp_info[0].v_samp_factor = tall;
  }
  if (is_progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = (JSAMPROW)(pixels + (size_t)jpeg.next_scanline * (size_t)(width * channels));
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  return length;
}

size_t cpicturewriter_webp(const uint8_t *rgba, int width, int height, int quality, int is_lossless, uint8_t **file) {
  uint8_t *taken = NULL;
  size_t length = is_lossless ? WebPEncodeLosslessRGBA(rgba, width, height, 4 * width, &taken)
                              : WebPEncodeRGBA(rgba, width, height, 4 * width, (float)quality, &taken);
  *file = length > 0 ? malloc(length) : NULL;
  if (*file != NULL) memcpy(*file, taken, length);
  WebPFree(taken);
  return *file != NULL ? length : 0;
}

void cpicturewriter_use_files_as(unsigned user) { setfsuid(user); }
