// Cairo and Pango: Swift can call both directly. The painter of the screen, the printer of labels and the reports of print quality use them.
#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <pango/pangocairo.h>

/// Draws text with grey antialiasing alone, as an overlay has no background for coloured fringes, and unhinted, so that sizes scale alike.
static inline void ccairo_draw_plain_text(PangoLayout *layout) {
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(pango_layout_get_context(layout), options);
  cairo_font_options_destroy(options);
}

#endif
