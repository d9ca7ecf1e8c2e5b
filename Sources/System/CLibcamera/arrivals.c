// Camera devices that udev announces, which it does once their files exist and may be opened.

#include "CLibcamera.h"

#include <errno.h>
#include <libudev.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct clibcamera_arrivals {
  struct udev *udev;
  struct udev_monitor *monitor;
};

int clibcamera_arrivals_open(struct clibcamera_arrivals **arrivals) {
  struct clibcamera_arrivals *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  made->udev = udev_new();
  if (made->udev) made->monitor = udev_monitor_new_from_netlink(made->udev, "udev");
  if (!made->monitor) {
    clibcamera_arrivals_close(made);
    return -ENODEV;
  }
  int result = udev_monitor_filter_add_match_subsystem_devtype(made->monitor, "video4linux", NULL);
  if (result >= 0) result = udev_monitor_filter_add_match_subsystem_devtype(made->monitor, "media", NULL);
  if (result >= 0) result = udev_monitor_enable_receiving(made->monitor);
  if (result < 0) {
    clibcamera_arrivals_close(made);
    return result;
  }
  *arrivals = made;
  return 0;
}

int clibcamera_arrivals_next(struct clibcamera_arrivals *arrivals, int milliseconds) {
  struct pollfd waited = {.fd = udev_monitor_get_fd(arrivals->monitor), .events = POLLIN};
  const int ready = poll(&waited, 1, milliseconds);
  if (ready < 0) return errno == EINTR ? 0 : -errno;
  if (ready == 0) return 0;
  struct udev_device *device = udev_monitor_receive_device(arrivals->monitor);
  if (!device) return 0;
  const char *action = udev_device_get_action(device);
  const int came = action && strcmp(action, "add") == 0;
  udev_device_unref(device);
  return came;
}

void clibcamera_arrivals_close(struct clibcamera_arrivals *arrivals) {
  if (!arrivals) return;
  if (arrivals->monitor) udev_monitor_unref(arrivals->monitor);
  if (arrivals->udev) udev_unref(arrivals->udev);
  free(arrivals);
}

int clibcamera_announcements_wait(void) {
  struct udev *udev = udev_new();
  struct udev_queue *queue = udev ? udev_queue_new(udev) : NULL;
  const int wait =
      queue && udev_queue_get_udev_is_active(queue) && !udev_queue_get_queue_is_empty(queue);
  if (queue) udev_queue_unref(queue);
  if (udev) udev_unref(udev);
  return wait;
}
