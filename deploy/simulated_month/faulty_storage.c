// Storage that fails on request, for a station in the lab, whose kernel has no block devices: a library to preload. The first
// letter of the file RETICLE_STORAGE_FAULT says how calls that concern an outbox's files end; without the file they succeed.
//   f  full: what would make a file longer, or create one, fails with ENOSPC
//   r  read-only: everything that writes fails with EROFS, as after an error of an ext4 mounted with errors=remount-ro
//   e  failing: everything that writes, and each sync, fails with EIO
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEXT(name) __typeof__(name) *next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int is_outbox(const char *path) { return strstr(path, "/outbox.sqlite") != NULL || !strncmp(path, "outbox.sqlite", 13); }

static char fault(void) {
  const char *path = getenv("RETICLE_STORAGE_FAULT");
  int saved = errno, file = path == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  char letter = 0;
  if (file >= 0) {
    if (read(file, &letter, 1) != 1) letter = 0;
    close(file);
  }
  errno = saved;
  return letter;
}

/// The fault in effect for an open file; 0 for none.
static char fault_of(int file) {
  char letter = fault(), link[64], path[4096];
  if (letter == 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_outbox(path) ? letter : 0;
}

/// Whether a write that ends at a position fails; then errno says why.
static int write_fails(int file, off_t end) {
  struct stat state;
  switch (fault_of(file)) {
    case 'f':
      if (fstat(file, &state) != 0 || end <= state.st_size) return 0;
      errno = ENOSPC;
      return 1;
    case 'r': errno = EROFS; return 1;
    case 'e': errno = EIO; return 1;
    default: return 0;
  }
}

#define PWRITE(name, offset_type)                                                  \
  ssize_t name(int file, const void *bytes, size_t count, offset_type offset) {    \
    NEXT(name);                                                                    \
    return write_fails(file, offset + (off_t)count) ? -1 : next(file, bytes, count, offset); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int file, const void *bytes, size_t count) {
  NEXT(write);
  if (file <= 2) return next(file, bytes, count);
  off_t place = lseek(file, 0, SEEK_CUR);
  return place >= 0 && write_fails(file, place + (off_t)count) ? -1 : next(file, bytes, count);
}

#define TRUNCATE(name, offset_type)                                \
  int name(int file, offset_type length) {                         \
    NEXT(name);                                                    \
    return write_fails(file, length) ? -1 : next(file, length);    \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                              \
  int name(int file) {                                                          \
    NEXT(name);                                                                 \
    if (fault_of(file) == 'e') { errno = EIO; return -1; }                      \
    return next(file);                                                          \
  }
SYNC(fsync)
SYNC(fdatasync)

/// Whether opening a file fails; then errno says why.
static int open_fails(const char *path, int flags) {
  char letter;
  if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) == 0 || !is_outbox(path) || (letter = fault()) == 0) return 0;
  int is_new = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
  if (letter == 'r') { errno = EROFS; return 1; }
  if (is_new) { errno = letter == 'f' ? ENOSPC : EIO; return 1; }
  return 0;
}

#define OPEN(name)                                                               \
  int name(const char *path, int flags, ...) {                                   \
    NEXT(name);                                                                  \
    mode_t mode = 0;                                                             \
    if (flags & (O_CREAT | O_TMPFILE)) {                                         \
      va_list list;                                                              \
      va_start(list, flags);                                                     \
      mode = va_arg(list, mode_t);                                               \
      va_end(list);                                                              \
    }                                                                            \
    return open_fails(path, flags) ? -1 : next(path, flags, mode);               \
  }
OPEN(open)
OPEN(open64)

int rename(const char *from, const char *to) {
  NEXT(rename);
  char letter = is_outbox(to) ? fault() : 0;
  if (letter == 'r' || letter == 'e') { errno = letter == 'r' ? EROFS : EIO; return -1; }
  return next(from, to);
}
