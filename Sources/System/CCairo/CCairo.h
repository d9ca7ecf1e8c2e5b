// Cairo and Pango, unchanged: Swift can call both directly. Only the painter uses them.
#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo.h>
#include <pango/pangocairo.h>

#endif
