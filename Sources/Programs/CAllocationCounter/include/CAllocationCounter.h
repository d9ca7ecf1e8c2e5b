// Counts the calling thread's allocations, to prove that the decoder makes none.
//
// A program that links this target gets its malloc family from here: each call is counted and passed on to glibc. Swift
// cannot define these symbols, because it allocates in the process. Only the benchmark and tests link it. Sanitizers provide
// their own malloc family; under them nothing is counted.

#ifndef CALLOCATIONCOUNTER_H
#define CALLOCATIONCOUNTER_H

#include <stdint.h>

/// Calls of malloc, calloc, realloc, memalign, posix_memalign and aligned_alloc by the calling thread so far.
uint64_t callocationcounter_count(void);

/// Whether allocations are counted in this build.
int callocationcounter_is_on(void);

#endif
