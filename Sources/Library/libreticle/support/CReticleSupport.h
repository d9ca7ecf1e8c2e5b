// The library's needs beyond the decoder: its version, and what Swift's standard library expects of a system.

#ifndef CRETICLESUPPORT_H
#define CRETICLESUPPORT_H

#include <stdbool.h>
#include <stddef.h>

/// Whether there is memory for the text of the longest message, so that Swift's code, which ends the process where memory is
/// missing, is not begun.
bool reticle_has_memory(void);

#endif
