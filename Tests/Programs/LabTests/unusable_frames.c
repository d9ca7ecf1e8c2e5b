/* A camera with unusable frames, preloaded into the station. While its folder has a file named
 *   damaged: the driver marks each frame as damaged;
 *   short:   each frame ends after its first bytes;
 *   refused: the driver accepts no buffers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <unistd.h>

static int has(const char *name) { return access(name, F_OK) == 0; }

int ioctl(int device, unsigned long request, ...) {
  static int (*real)(int, unsigned long, void *);
  if (!real) real = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (request == VIDIOC_QBUF && has("refused")) {
    errno = EIO;
    return -1;
  }
  int result = real(device, request, argument);
  if (request == VIDIOC_DQBUF && result == 0) {
    struct v4l2_buffer *buffer = argument;
    if (has("damaged")) buffer->flags |= V4L2_BUF_FLAG_ERROR;
    if (has("short")) buffer->bytesused = 1000;
  }
  return result;
}
