// The camera library behind a C header: Swift cannot import its C++ classes, and their binary interface changes with every
// minor version. Functions return 0 or a negative errno; memory is the caller's.

#ifndef CLIBCAMERA_H
#define CLIBCAMERA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the version of the libcamera that this program runs with, such as `v0.0.3`, as a C string.
/// -ENOSPC: `size` is too small. libcamera::CameraManager::version
int clibcamera_version(char *version, size_t size);

#ifdef __cplusplus
}
#endif

#endif
