#include "CLibinput.h"

#include <errno.h>
#include <fcntl.h>
#include <libinput.h>
#include <libudev.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct clibinput {
  struct libinput *input;
  struct udev *udev;
  // The pointer's position, in fractions of the panel: a mouse reports only movement.
  double x, y;
  // The name of the last device with an event; longer names are cut.
  char name[128];
};

static int open_device(const char *path, int flags, void *context) {
  (void)context;
  int fd = open(path, flags | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

static void close_device(int fd, void *context) {
  (void)context;
  close(fd);
}

static const struct libinput_interface interface = {.open_restricted = open_device, .close_restricted = close_device};

static void be_silent(struct libinput *input, enum libinput_log_priority priority, const char *format, va_list arguments) {
  (void)input, (void)priority, (void)format, (void)arguments;
}

static clibinput *make(struct libinput *input, struct udev *udev) {
  clibinput *made = input ? calloc(1, sizeof *made) : 0;
  if (!made) {
    if (input) libinput_unref(input);
    if (udev) udev_unref(udev);
    return 0;
  }
  libinput_log_set_handler(input, be_silent);
  *made = (clibinput){.input = input, .udev = udev, .x = 0.5, .y = 0.5};
  return made;
}

int clibinput_open_seat(const char *seat, clibinput **context) {
  struct udev *udev = udev_new();
  if (!udev) return -ENOMEM;
  clibinput *made = make(libinput_udev_create_context(&interface, 0, udev), udev);
  if (!made) return -ENOMEM;
  if (libinput_udev_assign_seat(made->input, seat)) {
    clibinput_close(made);
    return -ENODEV;
  }
  *context = made;
  return 0;
}

int clibinput_open_device(const char *path, clibinput **context) {
  clibinput *made = make(libinput_path_create_context(&interface, 0), 0);
  if (!made) return -ENOMEM;
  errno = 0;
  if (!libinput_path_add_device(made->input, path)) {
    int error = errno ? errno : ENODEV;
    clibinput_close(made);
    return -error;
  }
  *context = made;
  return 0;
}

void clibinput_close(clibinput *context) {
  libinput_unref(context->input);
  if (context->udev) udev_unref(context->udev);
  free(context);
}

static double within(double part) { return part < 0 ? 0 : part > 1 ? 1 : part; }

static void take(clibinput *context, struct libinput_event *event, clibinput_event *out) {
  // A hundred-thousandth of the panel is finer than any touchscreen.
  const uint32_t parts = 100000;
  struct libinput_device *device = libinput_event_get_device(event);
  strncpy(context->name, libinput_device_get_name(device), sizeof context->name - 1);
  out->kind = CLIBINPUT_OTHER;
  out->device = (uintptr_t)device;
  out->name = context->name;
  switch (libinput_event_get_type(event)) {
    case LIBINPUT_EVENT_TOUCH_DOWN: {
      struct libinput_event_touch *touch = libinput_event_get_touch_event(event);
      out->kind = CLIBINPUT_TOUCH;
      out->x = within(libinput_event_touch_get_x_transformed(touch, parts) / parts);
      out->y = within(libinput_event_touch_get_y_transformed(touch, parts) / parts);
      break;
    }
    case LIBINPUT_EVENT_POINTER_MOTION_ABSOLUTE: {
      struct libinput_event_pointer *pointer = libinput_event_get_pointer_event(event);
      context->x = within(libinput_event_pointer_get_absolute_x_transformed(pointer, parts) / parts);
      context->y = within(libinput_event_pointer_get_absolute_y_transformed(pointer, parts) / parts);
      break;
    }
    case LIBINPUT_EVENT_POINTER_BUTTON: {
      struct libinput_event_pointer *pointer = libinput_event_get_pointer_event(event);
      if (libinput_event_pointer_get_button_state(pointer) != LIBINPUT_BUTTON_STATE_PRESSED) break;
      out->kind = CLIBINPUT_TOUCH;
      out->x = context->x;
      out->y = context->y;
      break;
    }
    case LIBINPUT_EVENT_KEYBOARD_KEY: {
      struct libinput_event_keyboard *keyboard = libinput_event_get_keyboard_event(event);
      if (libinput_event_keyboard_get_key_state(keyboard) != LIBINPUT_KEY_STATE_PRESSED) break;
      out->kind = CLIBINPUT_KEY;
      out->key = libinput_event_keyboard_get_key(keyboard);
      out->time = libinput_event_keyboard_get_time_usec(keyboard);
      break;
    }
    case LIBINPUT_EVENT_DEVICE_ADDED:
      out->kind = CLIBINPUT_ADDED;
      out->points = libinput_device_has_capability(device, LIBINPUT_DEVICE_CAP_TOUCH) ||
                    libinput_device_has_capability(device, LIBINPUT_DEVICE_CAP_POINTER);
      // 0 if the device is not a keyboard, and -1 if unknown.
      out->has_enter = libinput_device_keyboard_has_key(device, KEY_ENTER) > 0 ||
                       libinput_device_keyboard_has_key(device, KEY_KPENTER) > 0 ||
                       libinput_device_keyboard_has_key(device, KEY_OK) > 0 ||
                       libinput_device_keyboard_has_key(device, KEY_SELECT) > 0;
      break;
    case LIBINPUT_EVENT_DEVICE_REMOVED: out->kind = CLIBINPUT_REMOVED; break;
    default: break;
  }
}

int clibinput_next(clibinput *context, int timeout_ms, clibinput_event *event) {
  *event = (clibinput_event){0};
  struct libinput_event *next = libinput_get_event(context->input);
  if (!next) {
    struct pollfd waiting = {.fd = libinput_get_fd(context->input), .events = POLLIN};
    int ready = poll(&waiting, 1, timeout_ms);
    if (ready < 0) return errno == EINTR ? 0 : -errno;
    int result = ready ? libinput_dispatch(context->input) : 0;
    if (result) return result;
    next = libinput_get_event(context->input);
  }
  if (!next) return 0;
  take(context, next, event);
  libinput_event_destroy(next);
  return 0;
}
