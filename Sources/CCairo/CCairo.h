// Cairo and Pango, as they are: both are C that Swift calls without help. The painter is their only user.
#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo.h>
#include <pango/pangocairo.h>

#endif
