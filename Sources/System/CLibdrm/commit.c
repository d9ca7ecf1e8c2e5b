#include "CLibdrm.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

int clibdrm_buffer_make(int card, uint32_t width, uint32_t height, uint32_t bits_per_pixel, clibdrm_buffer *buffer) {
  struct drm_mode_create_dumb create = {.width = width, .height = height, .bpp = bits_per_pixel};
  if (drmIoctl(card, DRM_IOCTL_MODE_CREATE_DUMB, &create)) return -errno;
  struct drm_mode_map_dumb map = {.handle = create.handle};
  void *bytes = MAP_FAILED;
  if (!drmIoctl(card, DRM_IOCTL_MODE_MAP_DUMB, &map)) {
    bytes = mmap(0, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)map.offset);
  }
  if (bytes == MAP_FAILED) {
    int error = errno;
    struct drm_mode_destroy_dumb destroy = {.handle = create.handle};
    drmIoctl(card, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy);
    return -error;
  }
  memset(bytes, 0, create.size);
  *buffer = (clibdrm_buffer){create.handle, create.pitch, create.size, bytes};
  return 0;
}

void clibdrm_buffer_free(int card, clibdrm_buffer *buffer) {
  if (!buffer->bytes) return;
  munmap(buffer->bytes, buffer->size);
  struct drm_mode_destroy_dumb destroy = {.handle = buffer->handle};
  drmIoctl(card, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy);
  buffer->bytes = 0;
}

int clibdrm_framebuffer(
  int card, uint32_t width, uint32_t height, uint32_t format, const uint32_t handles[4], const uint32_t pitches[4],
  const uint32_t offsets[4], uint32_t *framebuffer) {
  return drmModeAddFB2(card, width, height, format, handles, pitches, offsets, framebuffer, 0) ? -errno : 0;
}

void clibdrm_framebuffer_free(int card, uint32_t framebuffer) { drmModeRmFB(card, framebuffer); }

int clibdrm_import(int card, int dma_buffer, uint32_t *handle) {
  return drmPrimeFDToHandle(card, dma_buffer, handle) ? -errno : 0;
}

void clibdrm_handle_free(int card, uint32_t handle) {
  struct drm_gem_close request = {.handle = handle};
  drmIoctl(card, DRM_IOCTL_GEM_CLOSE, &request);
}

// The request is laid out here: libdrm's own would allocate for each commit.
int clibdrm_commit(int card, const clibdrm_change *changes, size_t count, int flags) {
  uint32_t objects[CLIBDRM_CHANGES_MAX], counts[CLIBDRM_CHANGES_MAX], properties[CLIBDRM_CHANGES_MAX];
  uint64_t values[CLIBDRM_CHANGES_MAX];
  uint32_t object_count = 0;
  if (count > CLIBDRM_CHANGES_MAX) return -E2BIG;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || changes[i].object != changes[i - 1].object) {
      objects[object_count] = changes[i].object;
      counts[object_count++] = 0;
    }
    counts[object_count - 1]++;
    properties[i] = changes[i].property;
    values[i] = changes[i].value;
  }
  struct drm_mode_atomic request = {
    .flags = (flags & CLIBDRM_TEST ? DRM_MODE_ATOMIC_TEST_ONLY : 0) | (flags & CLIBDRM_MODESET ? DRM_MODE_ATOMIC_ALLOW_MODESET : 0)
      | (flags & CLIBDRM_FLIP ? DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT : 0),
    .count_objs = object_count,
    .objs_ptr = (uintptr_t)objects,
    .count_props_ptr = (uintptr_t)counts,
    .props_ptr = (uintptr_t)properties,
    .prop_values_ptr = (uintptr_t)values,
  };
  return drmIoctl(card, DRM_IOCTL_MODE_ATOMIC, &request) ? -errno : 0;
}

int clibdrm_wait_flip(int card, int timeout_ms) {
  struct pollfd waiting = {.fd = card, .events = POLLIN};
  for (;;) {
    int ready = poll(&waiting, 1, timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return -errno;
    if (ready == 0) return -ETIMEDOUT;
    // Room for more events than can wait: only one commit is pending at a time.
    char bytes[1024];
    ssize_t length = read(card, bytes, sizeof bytes);
    if (length < 0) return errno == EINTR || errno == EAGAIN ? 0 : -errno;
    for (ssize_t at = 0; at + (ssize_t)sizeof(struct drm_event) <= length;) {
      struct drm_event event;
      memcpy(&event, bytes + at, sizeof event);
      if (event.type == DRM_EVENT_FLIP_COMPLETE) return 0;
      if (event.length < sizeof event) break;
      at += event.length;
    }
  }
}
