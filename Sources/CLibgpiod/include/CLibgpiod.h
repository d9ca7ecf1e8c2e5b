// GPIO lines behind one header for libgpiod 1.6 and 2.x, which share neither source nor binary interface. One line is one
// request: torch, buttons and lamps come and go by themselves.
//
// Functions return 0 or a negative errno, or what they say; memory is the caller's. None blocks, except by what a driver
// does. A line belongs to one thread at a time.

#ifndef CLIBGPIOD_H
#define CLIBGPIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Writes the version of the libgpiod that this program runs with, such as `1.6.3`, as a C string.
/// -ENOSPC: `size` is too small. gpiod_version_string (1.x), gpiod_api_version (2.x)
int clibgpiod_version(char *version, size_t size);

/// A chip. Numbers move from one kernel to the next; labels do not.
typedef struct {
  /// Such as `gpiochip0`.
  char name[32];
  /// Such as `pinctrl-rp1`.
  char label[32];
  uint32_t line_count;
} clibgpiod_chip;

/// Reads what the chip behind a device such as `/dev/gpiochip0` is.
/// -ENOTTY, -ENODEV: this is no GPIO chip. -EACCES, -EPERM: it may not be opened.
int clibgpiod_read_chip(const char *path, clibgpiod_chip *chip);

/// A line, as anybody may see it.
typedef struct {
  /// Empty if the line has no name.
  char name[32];
  /// Who holds it; empty if nobody does, or does not say.
  char consumer[32];
  bool is_used;
  bool is_output;
} clibgpiod_line_description;

/// Reads what a line is, without taking it. -EINVAL: the chip has no such line.
int clibgpiod_read_line(const char *path, uint32_t offset, clibgpiod_line_description *description);

/// A line that is ours until it is released.
typedef struct clibgpiod_line clibgpiod_line;

/// What a line is taken for.
typedef enum {
  CLIBGPIOD_OUTPUT,
  CLIBGPIOD_INPUT,
  /// An input whose edges are told by the descriptor.
  CLIBGPIOD_EDGES,
  /// As it is: an output goes on with its value.
  CLIBGPIOD_AS_IS,
} clibgpiod_use;

/// What holds an input that nothing drives.
typedef enum {
  CLIBGPIOD_BIAS_AS_IS,
  CLIBGPIOD_BIAS_NONE,
  CLIBGPIOD_BIAS_PULL_UP,
  CLIBGPIOD_BIAS_PULL_DOWN,
} clibgpiod_bias;

/// Takes a line. `value` is what an output begins with, in the sense of `is_active_low`.
/// -EBUSY: somebody has it. -EACCES, -EPERM: the chip may not be opened. -EINVAL: the chip has no such line.
int clibgpiod_request(
    const char *path, uint32_t offset, clibgpiod_use use, bool is_active_low, clibgpiod_bias bias, int value,
    const char *consumer, clibgpiod_line **line);

/// Gives the line back. What an output does then is the kernel's business: on Raspberry Pi kernels it keeps its level.
/// NULL is taken.
void clibgpiod_release(clibgpiod_line *line);

/// 1 if the line is active, 0 if not.
int clibgpiod_get(clibgpiod_line *line);

/// Drives an output.
int clibgpiod_set(clibgpiod_line *line, int value);

/// A descriptor that becomes readable by an edge; only for lines taken for their edges.
int clibgpiod_descriptor(clibgpiod_line *line);

/// Takes the oldest edge out of the queue; the descriptor must be readable. 1 if the line became active, 0 if inactive.
/// `timestamp_ns` is by CLOCK_MONOTONIC.
int clibgpiod_read_edge(clibgpiod_line *line, uint64_t *timestamp_ns);

#endif
