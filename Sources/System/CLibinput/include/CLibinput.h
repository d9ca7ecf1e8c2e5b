// libinput behind a C header: touches, pointer buttons and keys as plain events. Swift cannot call it directly, because it
// calls back for opening devices and logs through a variable argument list.
//
// Functions return 0 or a negative errno. A context belongs to one thread.

#ifndef CLIBINPUT_H
#define CLIBINPUT_H

#include <linux/input-event-codes.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct clibinput clibinput;

/// Opens all input devices of a seat and follows those that come and go, through udev. libinput_udev_create_context
int clibinput_open_seat(const char *seat, clibinput **context);

/// Opens one device, such as `/dev/input/event0`, and no other. libinput_path_create_context
int clibinput_open_device(const char *path, clibinput **context);

void clibinput_close(clibinput *context);

enum {
  /// No event waits.
  CLIBINPUT_NOTHING = 0,
  /// A finger, a pen or the pointer's button came down, at x and y.
  CLIBINPUT_TOUCH = 1,
  /// A key went down: `key` is its number of linux/input-event-codes.h.
  CLIBINPUT_KEY = 2,
  /// A device was added, or removed.
  CLIBINPUT_ADDED = 3,
  CLIBINPUT_REMOVED = 4,
  /// An event to ignore.
  CLIBINPUT_OTHER = 5,
};

typedef struct {
  int kind;
  /// The device: a number unique among present devices, and its name, valid until the next call.
  uintptr_t device;
  const char *name;
  /// The time of a key event, in microseconds of CLOCK_MONOTONIC.
  uint64_t time;
  /// The position of a touch, in fractions of the panel, 0…1 from its top left.
  double x, y;
  uint32_t key;
  /// For an added device: whether it can point at something and press it, and whether it has a key to confirm with.
  bool points, has_enter;
} clibinput_event;

/// Waits for an event, at most this long, and takes one.
int clibinput_next(clibinput *context, int timeout_ms, clibinput_event *event);

#endif
