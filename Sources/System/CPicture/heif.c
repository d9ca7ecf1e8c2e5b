#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "CPicture.h"
#include "luma.h"

// The part of libheif's interface that is used, unchanged since version 1.0. It is declared here so that neither building nor
// running needs the library, whose codecs take several megabytes.

typedef struct {
  int code;
  int subcode;
  const char *message;
} heif_error;

typedef struct heif_context heif_context;
typedef struct heif_image_handle heif_image_handle;
typedef struct heif_image heif_image;

enum {
  heif_error_Invalid_input = 2,
  heif_error_Unsupported_filetype = 3,
  heif_error_Unsupported_feature = 4,
  heif_error_Memory_allocation_error = 6,
  heif_error_Decoder_plugin_error = 7,
  heif_suberror_End_of_data = 100,
  heif_colorspace_RGB = 1,
  heif_chroma_interleaved_RGBA = 11,
  heif_channel_interleaved = 10,
};

static struct {
  heif_context *(*context_alloc)(void);
  void (*context_free)(heif_context *);
  /// Not in every version.
  void (*context_set_maximum_image_size_limit)(heif_context *, int);
  heif_error (*context_read_from_memory_without_copy)(heif_context *, const void *, size_t, const void *);
  heif_error (*context_get_primary_image_handle)(heif_context *, heif_image_handle **);
  int (*image_handle_get_width)(const heif_image_handle *);
  int (*image_handle_get_height)(const heif_image_handle *);
  void (*image_handle_release)(const heif_image_handle *);
  heif_error (*decode_image)(const heif_image_handle *, heif_image **, int, int, const void *);
  int (*image_get_width)(const heif_image *, int);
  int (*image_get_height)(const heif_image *, int);
  const uint8_t *(*image_get_plane_readonly)(const heif_image *, int, int *);
  void (*image_release)(const heif_image *);
} heif;

static int is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libheif.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  is_there = 1;
#define TAKE(name) (*(void **)&heif.name = dlsym(library, "heif_" #name))
#define NEED(name) if (TAKE(name) == NULL) is_there = 0
  TAKE(context_set_maximum_image_size_limit);
  NEED(context_alloc);
  NEED(context_free);
  NEED(context_read_from_memory_without_copy);
  NEED(context_get_primary_image_handle);
  NEED(image_handle_get_width);
  NEED(image_handle_get_height);
  NEED(image_handle_release);
  NEED(decode_image);
  NEED(image_get_width);
  NEED(image_get_height);
  NEED(image_get_plane_readonly);
  NEED(image_release);
#undef NEED
#undef TAKE
}

static int code_of(heif_error error, cpicture_detail *detail) {
  if (error.code == 0) return 0;
  cpicture_say(detail, error.message != NULL ? error.message : "");
  switch (error.code) {
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature:
      return CPICTURE_UNSUPPORTED;
    case heif_error_Memory_allocation_error:
      return CPICTURE_NO_MEMORY;
    default:
      return error.subcode == heif_suberror_End_of_data ? CPICTURE_TRUNCATED : CPICTURE_CORRUPT;
  }
}

/// Opens the file's main picture. The caller frees `context` and `picture`, also after an error.
static int open_picture(
  const uint8_t *bytes, size_t count, int side_max, heif_context **context, heif_image_handle **picture,
  cpicture_detail *detail) {
  *context = NULL;
  *picture = NULL;
  detail->text[0] = 0;
  pthread_once(&once, load);
  if (!is_there) return CPICTURE_NO_LIBRARY;
  *context = heif.context_alloc();
  if (*context == NULL) return CPICTURE_NO_MEMORY;
  if (heif.context_set_maximum_image_size_limit != NULL) heif.context_set_maximum_image_size_limit(*context, side_max);
  int code = code_of(heif.context_read_from_memory_without_copy(*context, bytes, count, NULL), detail);
  return code != 0 ? code : code_of(heif.context_get_primary_image_handle(*context, picture), detail);
}

static void close_picture(heif_context *context, heif_image_handle *picture) {
  if (picture != NULL) heif.image_handle_release(picture);
  if (context != NULL) heif.context_free(context);
}

int cpicture_heif_size(
  const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, int side_max, cpicture_detail *detail) {
  heif_context *context;
  heif_image_handle *picture;
  int code = open_picture(bytes, count, side_max, &context, &picture, detail);
  if (code == 0) {
    int wide = heif.image_handle_get_width(picture), tall = heif.image_handle_get_height(picture);
    *width = wide > 0 ? (uint32_t)wide : 0;
    *height = tall > 0 ? (uint32_t)tall : 0;
  }
  close_picture(context, picture);
  return code;
}

static int convert(
  const heif_image *image, uint32_t width, uint32_t height, uint8_t *luma, cpicture_ground *ground,
  cpicture_detail *detail) {
  int bytes_per_row = 0;
  const uint8_t *plane = heif.image_get_plane_readonly(image, heif_channel_interleaved, &bytes_per_row);
  if (
    plane == NULL || heif.image_get_width(image, heif_channel_interleaved) != (int)width
    || heif.image_get_height(image, heif_channel_interleaved) != (int)height) {
    cpicture_say(detail, "the picture is not as large as it says");
    return CPICTURE_CORRUPT;
  }
  for (size_t y = 0; y < height; y++) {
    const uint8_t *pixel = plane + y * (size_t)bytes_per_row;
    uint8_t *to = luma + y * width;
    for (size_t x = 0; x < width; x++, pixel += 4) {
      to[x] = cpicture_over(cpicture_luma(pixel[0], pixel[1], pixel[2]), pixel[3], ground->luma);
      ground->is_visible |= cpicture_is_transparent(pixel[3]);
    }
  }
  return 0;
}

int cpicture_heif_luma(
  const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, uint8_t *luma, int side_max, cpicture_ground *ground,
  cpicture_detail *detail) {
  heif_context *context;
  heif_image_handle *picture;
  heif_image *image = NULL;
  int code = open_picture(bytes, count, side_max, &context, &picture, detail);
  if (code == 0)
    code = code_of(
      heif.decode_image(picture, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, NULL), detail);
  if (code == 0) code = convert(image, width, height, luma, ground, detail);
  if (image != NULL) heif.image_release(image);
  close_picture(context, picture);
  return code;
}
