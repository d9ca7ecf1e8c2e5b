// iconv, the C library's converter of character sets, without its headers, which Embedded Swift cannot import.

#ifndef CCHARACTERSETS_H
#define CCHARACTERSETS_H

#include <stddef.h>
#include <stdint.h>

/// How far a conversion came.
typedef enum {
  /// All of the source is converted.
  ccharactersets_finished,
  /// The room is used up.
  ccharactersets_full,
  /// The next byte of the source begins no character, or one that its end cuts off.
  ccharactersets_unreadable,
} ccharactersets_progress;

/// iconv_open from `name`, an encoding of iconv's, to UTF-8. Returns a converter for one thread, which the caller closes; NULL if
/// the C library lacks the encoding or memory.
void *ccharactersets_open(const char *name);

/// iconv: converts from `*source` to `*text` and moves both, with the bytes that are left there, behind what is converted.
ccharactersets_progress ccharactersets_convert(
    void *converter, const uint8_t **source, size_t *source_left, uint8_t **text, size_t *text_left);

/// iconv_close.
void ccharactersets_close(void *converter);

#endif
