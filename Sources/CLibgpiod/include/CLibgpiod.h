// GPIO lines behind one header for libgpiod 1.6 and 2.x, which share neither source nor binary interface.
// Functions return 0 or a negative errno; memory is the caller's.

#ifndef CLIBGPIOD_H
#define CLIBGPIOD_H

#include <stddef.h>

/// Writes the version of the libgpiod that this program runs with, such as `1.6.3`, as a C string.
/// -ENOSPC: `size` is too small. gpiod_version_string (1.x), gpiod_api_version (2.x)
int clibgpiod_version(char *version, size_t size);

#endif
