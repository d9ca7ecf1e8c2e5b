#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/resource.h>

#include "CPicture.h"

int cpicture_memory_file(void) { return memfd_create("picture", MFD_CLOEXEC); }

int cpicture_limit_process(int process, size_t memory_max, unsigned seconds_max) {
  // A second between both: at the first the kernel's signal says why the process ends, at the second none does.
  struct rlimit memory = {memory_max, memory_max}, seconds = {seconds_max, seconds_max + 1};
  int code = prlimit(process, RLIMIT_AS, &memory, NULL);
  return code != 0 ? code : prlimit(process, RLIMIT_CPU, &seconds, NULL);
}
