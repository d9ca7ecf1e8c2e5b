// libzint draws symbols. Debian's libzint-dev has no pkg-config file, so the module map names the library.

#ifndef CZINT_H
#define CZINT_H

#include <zint.h>

/// Whether a module of an encoded symbol is dark. Swift would import the 28 800 bytes of `encoded_data` as a tuple of
/// tuples.
static inline int czint_is_dark(const struct zint_symbol *symbol, int row, int column) {
  return (symbol->encoded_data[row][column >> 3] >> (column & 7)) & 1;
}

/// The height of a row in modules; 0 if the row shares the remaining part of `symbol->height`.
static inline float czint_row_height(const struct zint_symbol *symbol, int row) { return symbol->row_height[row]; }

/// The library's message for an error or a warning; lives as long as the symbol.
static inline const char *czint_message(const struct zint_symbol *symbol) { return symbol->errtxt; }

/// The text to print with the symbol, in UTF-8; lives as long as the symbol.
static inline const char *czint_text(const struct zint_symbol *symbol) { return (const char *)symbol->text; }

#endif
