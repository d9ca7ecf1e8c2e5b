#include "CCharacterSets.h"

#include <errno.h>
#include <iconv.h>

void *ccharactersets_open(const char *name) {
  iconv_t converter = iconv_open("UTF-8", name);
  return converter == (iconv_t)-1 ? NULL : converter;
}

ccharactersets_progress ccharactersets_convert(
    void *converter, const uint8_t **source, size_t *source_left, uint8_t **text, size_t *text_left) {
  // iconv only reads the source, despite its prototype.
  char *from = (char *)*source, *to = (char *)*text;
  size_t result = iconv((iconv_t)converter, &from, source_left, &to, text_left);
  *source = (const uint8_t *)from;
  *text = (uint8_t *)to;
  if (result != (size_t)-1) return ccharactersets_finished;
  return errno == E2BIG ? ccharactersets_full : ccharactersets_unreadable;
}

void ccharactersets_close(void *converter) { iconv_close((iconv_t)converter); }
