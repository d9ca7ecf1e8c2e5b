// A buffer that the kernel refuses must not end the process. libcamera marks the buffer's slot as used before it asks the
// kernel (V4L2VideoDevice::queueBuffer), does not free it on refusal, and aborts when the camera stops, because not all
// slots are free ("cache_->isEmpty()" in streamOff; in 0.0.3 and later). Therefore libcamera is made to believe that the
// kernel has the buffer: it waits for it like for any other, and gets all of them back when the camera stops. The buffer
// yields no picture, and the refusal is reported from here. If the camera is gone, stopping fails before libcamera checks
// the slots.

#include "CLibcamera.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <dlfcn.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

namespace {

using Call = int (*)(int, unsigned long, void *);

std::atomic<int> lastRefusal = 0;

/// Whether code belongs to libcamera. Called only for refused buffers, because it is slow.
bool isOfLibcamera(const void *place) {
  Dl_info info;
  return dladdr(place, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, "libcamera.so");
}

}  // namespace

/// Replaces the C library's function of this name, for the program and every library that it is linked with.
extern "C" int ioctl(int device, unsigned long request, ...) noexcept {
  static const Call call = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "ioctl"));
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  const int result = call(device, request, argument);
  if (result >= 0 || request != VIDIOC_QBUF || errno == ENODEV) return result;
  const int error = errno;
  if (!isOfLibcamera(__builtin_return_address(0))) {
    errno = error;
    return result;
  }
  lastRefusal = -error;
  return 0;
}

int clibcamera_take_refusal(void) { return lastRefusal.exchange(0); }
