// The version of the library. Only libgpiod 1.x has the macro GPIOD_BIT.

#include "CLibgpiod.h"

#include <errno.h>
#include <gpiod.h>
#include <string.h>

#ifdef GPIOD_BIT
#define RUNNING_VERSION gpiod_version_string()
#else
#define RUNNING_VERSION gpiod_api_version()
#endif

int clibgpiod_version(char *version, size_t size) {
  const char *text = RUNNING_VERSION;
  if (strlen(text) >= size) return -ENOSPC;
  strcpy(version, text);
  return 0;
}
