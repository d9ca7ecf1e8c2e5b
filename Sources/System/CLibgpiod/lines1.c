// Lines through libgpiod 1.6 (Debian 12). lines2.c is its counterpart.

#include "CLibgpiod.h"

#include <gpiod.h>

#ifdef GPIOD_BIT

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct clibgpiod_line {
  struct gpiod_chip *chip;
  struct gpiod_line *line;
};

static int failure(void) { return errno ? -errno : -EIO; }

static void copy(char *target, size_t size, const char *text) {
  target[0] = 0;
  if (text) strncat(target, text, size - 1);
}

int clibgpiod_read_chip(const char *path, clibgpiod_chip *chip) {
  errno = 0;
  struct gpiod_chip *opened = gpiod_chip_open(path);
  if (!opened) return failure();
  copy(chip->name, sizeof chip->name, gpiod_chip_name(opened));
  copy(chip->label, sizeof chip->label, gpiod_chip_label(opened));
  chip->line_count = gpiod_chip_num_lines(opened);
  gpiod_chip_close(opened);
  return 0;
}

/// Opens a chip and finds one of its lines.
static int open_line(const char *path, uint32_t offset, struct clibgpiod_line *found) {
  errno = 0;
  found->chip = gpiod_chip_open(path);
  if (!found->chip) return failure();
  found->line = gpiod_chip_get_line(found->chip, offset);
  if (found->line) return 0;
  const int result = failure();
  gpiod_chip_close(found->chip);
  return result;
}

int clibgpiod_read_line(const char *path, uint32_t offset, clibgpiod_line_description *description) {
  struct clibgpiod_line found;
  const int result = open_line(path, offset, &found);
  if (result < 0) return result;
  copy(description->name, sizeof description->name, gpiod_line_name(found.line));
  copy(description->consumer, sizeof description->consumer, gpiod_line_consumer(found.line));
  description->is_used = gpiod_line_is_used(found.line);
  description->is_output = gpiod_line_direction(found.line) == GPIOD_LINE_DIRECTION_OUTPUT;
  gpiod_chip_close(found.chip);
  return 0;
}

int clibgpiod_request(
    const char *path, uint32_t offset, clibgpiod_use use, bool is_active_low, clibgpiod_bias bias, int value,
    const char *consumer, clibgpiod_line **line) {
  static const int types[] = {
      GPIOD_LINE_REQUEST_DIRECTION_OUTPUT, GPIOD_LINE_REQUEST_DIRECTION_INPUT, GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
      GPIOD_LINE_REQUEST_DIRECTION_AS_IS};
  static const int biases[] = {
      0, GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE, GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP,
      GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN};
  clibgpiod_line *taken = malloc(sizeof *taken);
  if (!taken) return -ENOMEM;
  int result = open_line(path, offset, taken);
  if (result == 0) {
    const struct gpiod_line_request_config config = {
        consumer, types[use],
        (is_active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0) |
            (use == CLIBGPIOD_INPUT || use == CLIBGPIOD_EDGES ? biases[bias] : 0)};
    if (gpiod_line_request(taken->line, &config, value) < 0) {
      result = failure();
      gpiod_chip_close(taken->chip);
    }
  }
  if (result < 0) {
    free(taken);
    return result;
  }
  *line = taken;
  return 0;
}

void clibgpiod_release(clibgpiod_line *line) {
  if (!line) return;
  gpiod_line_release(line->line);
  gpiod_chip_close(line->chip);
  free(line);
}

int clibgpiod_get(clibgpiod_line *line) {
  errno = 0;
  const int value = gpiod_line_get_value(line->line);
  return value < 0 ? failure() : value;
}

int clibgpiod_set(clibgpiod_line *line, int value) {
  errno = 0;
  return gpiod_line_set_value(line->line, value) < 0 ? failure() : 0;
}

int clibgpiod_descriptor(clibgpiod_line *line) {
  errno = 0;
  const int descriptor = gpiod_line_event_get_fd(line->line);
  return descriptor < 0 ? failure() : descriptor;
}

int clibgpiod_read_edge(clibgpiod_line *line, uint64_t *timestamp_ns) {
  struct gpiod_line_event event;
  errno = 0;
  if (gpiod_line_event_read(line->line, &event) < 0) return failure();
  *timestamp_ns = (uint64_t)event.ts.tv_sec * 1000000000 + (uint64_t)event.ts.tv_nsec;
  return event.event_type == GPIOD_LINE_EVENT_RISING_EDGE;
}

#endif
