#include "CLibdrm.h"

#include <errno.h>
#include <stdio.h>
#include <xf86drm.h>

int clibdrm_version(char *version, size_t size) {
  drmVersionPtr running = drmGetLibVersion(-1);  // The descriptor is not used.
  if (!running) return -ENOMEM;
  int length = snprintf(
      version, size, "%d.%d.%d", running->version_major, running->version_minor, running->version_patchlevel);
  drmFreeVersion(running);
  return length < 0 || (size_t)length >= size ? -ENOSPC : 0;
}
