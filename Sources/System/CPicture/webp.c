#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include "CPicture.h"
#include "luma.h"

static int code_of(VP8StatusCode status, cpicture_detail *detail) {
  switch (status) {
    case VP8_STATUS_OK:
      return 0;
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      cpicture_say(detail, "the data end too early");
      return CPICTURE_TRUNCATED;
    case VP8_STATUS_OUT_OF_MEMORY:
      return CPICTURE_NO_MEMORY;
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return CPICTURE_UNSUPPORTED;
    default:
      cpicture_say(detail, "its bit stream is broken");
      return CPICTURE_CORRUPT;
  }
}

static int features_of(const uint8_t *bytes, size_t count, WebPBitstreamFeatures *features, cpicture_detail *detail) {
  detail->text[0] = 0;
  int code = code_of(WebPGetFeatures(bytes, count, features), detail);
  if (code != 0) return code;
  if (features->has_animation) {
    cpicture_say(detail, "it is an animation");
    return CPICTURE_UNSUPPORTED;
  }
  return 0;
}

int cpicture_webp_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail) {
  WebPBitstreamFeatures features;
  int code = features_of(bytes, count, &features, detail);
  if (code != 0) return code;
  *width = (uint32_t)features.width;
  *height = (uint32_t)features.height;
  return 0;
}

/// Stretches video-range luma 16…235 to 0…255.
static void stretch(uint8_t *luma, size_t count) {
  uint8_t table[256];
  for (int y = 0; y < 256; y++) {
    int full = y <= 16 ? 0 : ((y - 16) * 255 + 109) / 219;
    table[y] = (uint8_t)(full > 255 ? 255 : full);
  }
  for (size_t i = 0; i < count; i++) luma[i] = table[luma[i]];
}

/// The Y plane goes directly to the caller's memory; the others are decoded only because libwebp needs a destination.
static int read_lossy(
  const uint8_t *bytes, size_t count, WebPDecoderConfig *config, uint8_t *luma, cpicture_ground *ground,
  cpicture_detail *detail) {
  size_t width = (size_t)config->input.width;
  size_t height = (size_t)config->input.height;
  size_t chroma_width = (width + 1) / 2;
  size_t chroma_count = chroma_width * ((height + 1) / 2);
  size_t alpha_count = config->input.has_alpha ? width * height : 0;
  uint8_t *scratch = malloc(2 * chroma_count + alpha_count);
  if (scratch == NULL) return CPICTURE_NO_MEMORY;
  uint8_t *alpha = scratch + 2 * chroma_count;
  config->output.colorspace = alpha_count > 0 ? MODE_YUVA : MODE_YUV;
  config->output.is_external_memory = 1;
  WebPYUVABuffer *planes = &config->output.u.YUVA;
  planes->y = luma;
  planes->y_stride = (int)width;
  planes->y_size = width * height;
  planes->u = scratch;
  planes->v = scratch + chroma_count;
  planes->u_stride = planes->v_stride = (int)chroma_width;
  planes->u_size = planes->v_size = chroma_count;
  if (alpha_count > 0) {
    planes->a = alpha;
    planes->a_stride = (int)width;
    planes->a_size = alpha_count;
  }
  int code = code_of(WebPDecode(bytes, count, config), detail);
  if (code == 0) {
    stretch(luma, width * height);
    for (size_t i = 0; i < alpha_count; i++) {
      luma[i] = cpicture_over(luma[i], alpha[i], ground->luma);
      ground->is_visible |= cpicture_is_transparent(alpha[i]);
    }
  }
  free(scratch);
  return code;
}

static int read_lossless(
  const uint8_t *bytes, size_t count, WebPDecoderConfig *config, uint8_t *luma, cpicture_ground *ground,
  cpicture_detail *detail) {
  size_t pixel_count = (size_t)config->input.width * (size_t)config->input.height;
  uint8_t *pixels = malloc(4 * pixel_count);
  if (pixels == NULL) return CPICTURE_NO_MEMORY;
  config->output.colorspace = MODE_RGBA;
  config->output.is_external_memory = 1;
  config->output.u.RGBA.rgba = pixels;
  config->output.u.RGBA.stride = 4 * config->input.width;
  config->output.u.RGBA.size = 4 * pixel_count;
  int code = code_of(WebPDecode(bytes, count, config), detail);
  if (code == 0) {
    for (size_t i = 0; i < pixel_count; i++) {
      const uint8_t *pixel = pixels + 4 * i;
      luma[i] = cpicture_over(cpicture_luma(pixel[0], pixel[1], pixel[2]), pixel[3], ground->luma);
      ground->is_visible |= cpicture_is_transparent(pixel[3]);
    }
  }
  free(pixels);
  return code;
}

int cpicture_webp_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_ground *ground, cpicture_detail *detail) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) {
    cpicture_say(detail, "libwebp is of another version than its headers");
    return CPICTURE_UNSUPPORTED;
  }
  int code = features_of(bytes, count, &config.input, detail);
  if (code != 0) return code;
  // 1 is lossy, 2 is lossless, 0 is unknown or mixed.
  if (config.input.format == 1) return read_lossy(bytes, count, &config, luma, ground, detail);
  return read_lossless(bytes, count, &config, luma, ground, detail);
}

/// Fills the picture's planes: luma in the video range, and neutral colour.
static void fill_planes(WebPPicture *picture, const uint8_t *luma, size_t bytes_per_row) {
  uint8_t table[256];
  for (int y = 0; y < 256; y++) table[y] = (uint8_t)(16 + (y * 219 + 127) / 255);
  for (int y = 0; y < picture->height; y++) {
    const uint8_t *from = luma + (size_t)y * bytes_per_row;
    uint8_t *to = picture->y + (size_t)y * (size_t)picture->y_stride;
    for (int x = 0; x < picture->width; x++) to[x] = table[from[x]];
  }
  size_t colour_count = (size_t)picture->uv_stride * (size_t)((picture->height + 1) / 2);
  memset(picture->u, 128, colour_count);
  memset(picture->v, 128, colour_count);
}

int cpicture_webp_write(
  const uint8_t *luma, uint32_t width, uint32_t height, size_t bytes_per_row, int quality, cpicture_sink sink,
  void *context, cpicture_detail *detail) {
  WebPConfig config;
  WebPPicture picture;
  detail->text[0] = 0;
  if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, (float)quality) || !WebPPictureInit(&picture)) {
    cpicture_say(detail, "libwebp is of another version than its headers");
    return CPICTURE_UNSUPPORTED;
  }
  // The fastest method: a station writes pictures beside reading codes.
  config.method = 0;
  picture.width = (int)width;
  picture.height = (int)height;
  if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION) {
    cpicture_say(detail, "the picture is too large for WebP");
    return CPICTURE_UNSUPPORTED;
  }
  if (!WebPPictureAlloc(&picture)) return CPICTURE_NO_MEMORY;
  fill_planes(&picture, luma, bytes_per_row);
  WebPMemoryWriter memory;
  WebPMemoryWriterInit(&memory);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &memory;
  int code = WebPEncode(&config, &picture) ? 0 : CPICTURE_UNSUPPORTED;
  if (picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY || picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
    code = CPICTURE_NO_MEMORY;
  if (code == 0 && sink(context, memory.mem, memory.size) != 0) code = CPICTURE_CORRUPT;
  WebPMemoryWriterClear(&memory);
  WebPPictureFree(&picture);
  return code;
}
