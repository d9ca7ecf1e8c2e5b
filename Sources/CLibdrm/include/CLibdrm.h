// Kernel modesetting behind a C header: libdrm's variadic and union-laden interface in the few calls that the screen needs.
// Functions return 0 or a negative errno; memory is the caller's.

#ifndef CLIBDRM_H
#define CLIBDRM_H

#include <stddef.h>

/// Writes the interface version of the libdrm that this program runs with, such as `1.3.0`, as a C string.
/// -ENOSPC: `size` is too small. -ENOMEM: no memory. drmGetLibVersion
int clibdrm_version(char *version, size_t size);

#endif
