// Lines through libgpiod 2.x (Debian 13). lines1.c is its counterpart.

#include "CLibgpiod.h"

#include <gpiod.h>

#ifndef GPIOD_BIT

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Edges that wait in the kernel to be read.
enum { EDGE_COUNT_MAX = 64 };

struct clibgpiod_line {
  struct gpiod_line_request *request;
  /// Room for a single edge.
  struct gpiod_edge_event_buffer *edge;
  unsigned int offset;
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
  struct gpiod_chip_info *info = gpiod_chip_get_info(opened);
  const int result = info ? 0 : failure();
  if (info) {
    copy(chip->name, sizeof chip->name, gpiod_chip_info_get_name(info));
    copy(chip->label, sizeof chip->label, gpiod_chip_info_get_label(info));
    chip->line_count = (uint32_t)gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
  }
  gpiod_chip_close(opened);
  return result;
}

int clibgpiod_read_line(const char *path, uint32_t offset, clibgpiod_line_description *description) {
  errno = 0;
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return failure();
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  const int result = info ? 0 : failure();
  if (info) {
    copy(description->name, sizeof description->name, gpiod_line_info_get_name(info));
    copy(description->consumer, sizeof description->consumer, gpiod_line_info_get_consumer(info));
    description->is_used = gpiod_line_info_is_used(info);
    description->is_output = gpiod_line_info_get_direction(info) == GPIOD_LINE_DIRECTION_OUTPUT;
    gpiod_line_info_free(info);
  }
  gpiod_chip_close(chip);
  return result;
}

/// The three objects for the request of a line; those that could not be created are NULL.
struct plan {
  struct gpiod_line_settings *settings;
  struct gpiod_line_config *lines;
  struct gpiod_request_config *request;
};

static void free_plan(struct plan *plan) {
  gpiod_request_config_free(plan->request);
  gpiod_line_config_free(plan->lines);
  gpiod_line_settings_free(plan->settings);
}

static int make_plan(
    struct plan *plan, unsigned int offset, clibgpiod_use use, bool is_active_low, clibgpiod_bias bias, int value,
    const char *consumer) {
  static const enum gpiod_line_direction directions[] = {
      GPIOD_LINE_DIRECTION_OUTPUT, GPIOD_LINE_DIRECTION_INPUT, GPIOD_LINE_DIRECTION_INPUT, GPIOD_LINE_DIRECTION_AS_IS};
  static const enum gpiod_line_bias biases[] = {
      GPIOD_LINE_BIAS_AS_IS, GPIOD_LINE_BIAS_DISABLED, GPIOD_LINE_BIAS_PULL_UP, GPIOD_LINE_BIAS_PULL_DOWN};
  plan->settings = gpiod_line_settings_new();
  plan->lines = gpiod_line_config_new();
  plan->request = gpiod_request_config_new();
  if (!plan->settings || !plan->lines || !plan->request) return -ENOMEM;
  gpiod_line_settings_set_direction(plan->settings, directions[use]);
  gpiod_line_settings_set_active_low(plan->settings, is_active_low);
  if (use == CLIBGPIOD_INPUT || use == CLIBGPIOD_EDGES) gpiod_line_settings_set_bias(plan->settings, biases[bias]);
  if (use == CLIBGPIOD_EDGES) gpiod_line_settings_set_edge_detection(plan->settings, GPIOD_LINE_EDGE_BOTH);
  if (use == CLIBGPIOD_OUTPUT) {
    gpiod_line_settings_set_output_value(
        plan->settings, value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
  }
  gpiod_request_config_set_consumer(plan->request, consumer);
  gpiod_request_config_set_event_buffer_size(plan->request, EDGE_COUNT_MAX);
  return gpiod_line_config_add_line_settings(plan->lines, &offset, 1, plan->settings) < 0 ? failure() : 0;
}

int clibgpiod_request(
    const char *path, uint32_t offset, clibgpiod_use use, bool is_active_low, clibgpiod_bias bias, int value,
    const char *consumer, clibgpiod_line **line) {
  errno = 0;
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return failure();
  clibgpiod_line *taken = calloc(1, sizeof *taken);
  struct plan plan = {0};
  int result = taken ? make_plan(&plan, offset, use, is_active_low, bias, value, consumer) : -ENOMEM;
  if (result == 0) {
    taken->offset = offset;
    taken->edge = gpiod_edge_event_buffer_new(1);
    taken->request = taken->edge ? gpiod_chip_request_lines(chip, plan.request, plan.lines) : NULL;
    if (!taken->request) result = failure();
  }
  free_plan(&plan);
  gpiod_chip_close(chip);
  if (result < 0) {
    if (taken) gpiod_edge_event_buffer_free(taken->edge);
    free(taken);
    return result;
  }
  *line = taken;
  return 0;
}

void clibgpiod_release(clibgpiod_line *line) {
  if (!line) return;
  gpiod_line_request_release(line->request);
  gpiod_edge_event_buffer_free(line->edge);
  free(line);
}

int clibgpiod_get(clibgpiod_line *line) {
  errno = 0;
  const enum gpiod_line_value value = gpiod_line_request_get_value(line->request, line->offset);
  return value == GPIOD_LINE_VALUE_ERROR ? failure() : value == GPIOD_LINE_VALUE_ACTIVE;
}

int clibgpiod_set(clibgpiod_line *line, int value) {
  errno = 0;
  const enum gpiod_line_value wanted = value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_value(line->request, line->offset, wanted) < 0 ? failure() : 0;
}

int clibgpiod_descriptor(clibgpiod_line *line) { return gpiod_line_request_get_fd(line->request); }

int clibgpiod_read_edge(clibgpiod_line *line, uint64_t *timestamp_ns) {
  errno = 0;
  if (gpiod_line_request_read_edge_events(line->request, line->edge, 1) < 1) return failure();
  struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(line->edge, 0);
  *timestamp_ns = gpiod_edge_event_get_timestamp_ns(event);
  return gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
}

#endif
