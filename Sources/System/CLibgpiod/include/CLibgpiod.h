// GPIO lines behind a single header for libgpiod 1.6 and 2.x, which share neither source nor binary interface. Each line is
// a separate request: torch, buttons and lamps come and go independently.
//
// Functions return 0 or a negative errno, or as documented; memory belongs to the caller. None blocks, except in a driver. A
// line belongs to one thread at a time.

#ifndef CLIBGPIOD_H
#define CLIBGPIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Writes the version of libgpiod at run time, such as `1.6.3`, as a C string. -ENOSPC: `size` is too small.
/// gpiod_version_string (1.x), gpiod_api_version (2.x)
int clibgpiod_version(char *version, size_t size);

/// A chip. Its number may differ between kernels; its label does not.
typedef struct {
  /// Such as `gpiochip0`.
  char name[32];
  /// Such as `pinctrl-rp1`.
  char label[32];
  uint32_t line_count;
} clibgpiod_chip;

/// Reads the description of the chip behind a device such as `/dev/gpiochip0`.
/// -ENOTTY, -ENODEV: the device is not a GPIO chip. -EACCES, -EPERM: it may not be opened.
int clibgpiod_read_chip(const char *path, clibgpiod_chip *chip);

/// The public description of a line.
typedef struct {
  /// Empty if the line has no name.
  char name[32];
  /// The holder of the line; empty if it is free, or the holder gave no name.
  char consumer[32];
  bool is_used;
  bool is_output;
} clibgpiod_line_description;

/// Reads a line's description without acquiring it. -EINVAL: the chip has no such line.
int clibgpiod_read_line(const char *path, uint32_t offset, clibgpiod_line_description *description);

/// A line held by this process until it is released.
typedef struct clibgpiod_line clibgpiod_line;

/// The purpose of a line.
typedef enum {
  CLIBGPIOD_OUTPUT,
  CLIBGPIOD_INPUT,
  /// An input whose edges the descriptor reports.
  CLIBGPIOD_EDGES,
  /// Unchanged: an output keeps its value.
  CLIBGPIOD_AS_IS,
} clibgpiod_use;

/// The bias of an input that nothing drives.
typedef enum {
  CLIBGPIOD_BIAS_AS_IS,
  CLIBGPIOD_BIAS_NONE,
  CLIBGPIOD_BIAS_PULL_UP,
  CLIBGPIOD_BIAS_PULL_DOWN,
} clibgpiod_bias;

/// Acquires a line. `value` is the initial value of an output, relative to `is_active_low`. -EBUSY: another holder has it.
/// -EACCES, -EPERM: the chip may not be opened. -EINVAL: the chip has no such line.
int clibgpiod_request(
    const char *path, uint32_t offset, clibgpiod_use use, bool is_active_low, clibgpiod_bias bias, int value,
    const char *consumer, clibgpiod_line **line);

/// Releases the line. The kernel decides what an output then does: on Raspberry Pi kernels it keeps its level. NULL is
/// allowed.
void clibgpiod_release(clibgpiod_line *line);

/// 1 if the line is active, 0 if not.
int clibgpiod_get(clibgpiod_line *line);

/// Drives an output.
int clibgpiod_set(clibgpiod_line *line, int value);

/// A descriptor that an edge makes readable; only for lines acquired for edges.
int clibgpiod_descriptor(clibgpiod_line *line);

/// Takes the oldest edge from the queue; the descriptor must be readable. 1 if the line became active, 0 if inactive.
/// `timestamp_ns` is in CLOCK_MONOTONIC.
int clibgpiod_read_edge(clibgpiod_line *line, uint64_t *timestamp_ns);

#endif
