#include <stdlib.h>
#include <string.h>

#include "CPicture.h"
#include "luma.h"

#ifdef CPICTURE_MORE_FORMATS

#include <gif_lib.h>

/// A read in progress; giflib passes it to the callback.
typedef struct {
  const uint8_t *bytes;
  size_t left;
  int ran_out;
} source;

static int read_bytes(GifFileType *gif, GifByteType *target, int count) {
  source *in = gif->UserData;
  if ((size_t)count > in->left) {
    in->ran_out = 1;
    count = (int)in->left;
  }
  memcpy(target, in->bytes, (size_t)count);
  in->bytes += count;
  in->left -= (size_t)count;
  return count;
}

static int code_of(const source *in, int error, cpicture_detail *detail) {
  const char *text = GifErrorString(error);
  cpicture_say(detail, text != NULL ? text : "");
  if (error == D_GIF_ERR_NOT_ENOUGH_MEM) return CPICTURE_NO_MEMORY;
  return in->ran_out ? CPICTURE_TRUNCATED : CPICTURE_CORRUPT;
}

int cpicture_gif_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail) {
  source in = {bytes, count, 0};
  int error = 0;
  detail->text[0] = 0;
  GifFileType *gif = DGifOpen(&in, read_bytes, &error);
  if (gif == NULL) return code_of(&in, error, detail);
  *width = (uint32_t)gif->SWidth;
  *height = (uint32_t)gif->SHeight;
  DGifCloseFile(gif, &error);
  return 0;
}

/// Reads up to the first picture, and tells the index of its transparent colour; -1 for none.
static int find_picture(GifFileType *gif, const source *in, int *transparent, cpicture_detail *detail) {
  *transparent = NO_TRANSPARENT_COLOR;
  for (;;) {
    GifRecordType type;
    if (DGifGetRecordType(gif, &type) == GIF_ERROR) return code_of(in, gif->Error, detail);
    if (type == IMAGE_DESC_RECORD_TYPE)
      return DGifGetImageDesc(gif) == GIF_ERROR ? code_of(in, gif->Error, detail) : 0;
    if (type != EXTENSION_RECORD_TYPE) {
      cpicture_say(detail, "it has no picture");
      return CPICTURE_CORRUPT;
    }
    int kind;
    GifByteType *block;
    if (DGifGetExtension(gif, &kind, &block) == GIF_ERROR) return code_of(in, gif->Error, detail);
    while (block != NULL) {
      GraphicsControlBlock control;
      if (kind == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
        *transparent = control.TransparentColor;
      if (DGifGetExtensionNext(gif, &block) == GIF_ERROR) return code_of(in, gif->Error, detail);
    }
  }
}

/// Rows of the four passes of an interlaced picture: the first, and the step to the next.
static const int pass_starts[4] = {0, 4, 2, 1}, pass_steps[4] = {8, 8, 4, 2};

/// A picture on its way to luma.
typedef struct {
  /// The luma of each index.
  uint8_t table[256];
  int transparent;
  uint8_t *row;
  uint8_t *luma;
  cpicture_ground *ground;
} conversion;

static int read_row(GifFileType *gif, const source *in, int y, conversion *out, cpicture_detail *detail) {
  const GifImageDesc *image = &gif->Image;
  if (DGifGetLine(gif, out->row, image->Width) == GIF_ERROR) return code_of(in, gif->Error, detail);
  int top = image->Top + y;
  if (top >= gif->SHeight) return 0;
  uint8_t *to = out->luma + (size_t)top * (size_t)gif->SWidth;
  for (int x = 0; x < image->Width && image->Left + x < gif->SWidth; x++) {
    to[image->Left + x] = out->table[out->row[x]];
    out->ground->is_visible |= out->row[x] == out->transparent;
  }
  return 0;
}

static int read_picture(
  GifFileType *gif, const source *in, int transparent, uint8_t *luma, cpicture_ground *ground, cpicture_detail *detail) {
  const GifImageDesc *image = &gif->Image;
  const ColorMapObject *colours = image->ColorMap != NULL ? image->ColorMap : gif->SColorMap;
  if (colours == NULL || image->Width <= 0 || image->Height <= 0) {
    cpicture_say(detail, colours == NULL ? "it has no colours" : "a side is 0");
    return CPICTURE_CORRUPT;
  }
  conversion out = {.transparent = transparent, .luma = luma, .ground = ground};
  memset(out.table, ground->luma, sizeof out.table);
  for (int index = 0; index < colours->ColorCount && index < 256; index++) {
    const GifColorType *colour = &colours->Colors[index];
    if (index != transparent) out.table[index] = cpicture_luma(colour->Red, colour->Green, colour->Blue);
  }
  memset(luma, ground->luma, (size_t)gif->SWidth * (size_t)gif->SHeight);
  if (image->Left > 0 || image->Top > 0 || image->Width < gif->SWidth || image->Height < gif->SHeight)
    ground->is_visible = 1;
  out.row = malloc((size_t)image->Width);
  if (out.row == NULL) return CPICTURE_NO_MEMORY;
  int code = 0;
  for (int pass = 0; pass < (image->Interlace ? 4 : 1); pass++) {
    int step = image->Interlace ? pass_steps[pass] : 1;
    for (int y = image->Interlace ? pass_starts[pass] : 0; y < image->Height && code == 0; y += step)
      code = read_row(gif, in, y, &out, detail);
  }
  free(out.row);
  return code;
}

int cpicture_gif_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_ground *ground, cpicture_detail *detail) {
  source in = {bytes, count, 0};
  int error = 0;
  detail->text[0] = 0;
  GifFileType *gif = DGifOpen(&in, read_bytes, &error);
  if (gif == NULL) return code_of(&in, error, detail);
  int transparent;
  int code = find_picture(gif, &in, &transparent, detail);
  if (code == 0) code = read_picture(gif, &in, transparent, luma, ground, detail);
  DGifCloseFile(gif, &error);
  return code;
}

#else

int cpicture_gif_size(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, cpicture_detail *detail) {
  (void)bytes, (void)count, (void)width, (void)height;
  detail->text[0] = 0;
  return CPICTURE_NO_LIBRARY;
}

int cpicture_gif_luma(
  const uint8_t *bytes, size_t count, uint8_t *luma, cpicture_ground *ground, cpicture_detail *detail) {
  (void)luma, (void)ground;
  return cpicture_gif_size(bytes, count, NULL, NULL, detail);
}

#endif
