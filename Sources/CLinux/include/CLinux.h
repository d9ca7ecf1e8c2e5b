// A few calls of Linux that Swift's Glibc module leaves out: structures, macros and variadic functions that it does not
// import. Each is one call, returns 0 or -errno, keeps no state, and may be made from any thread.

#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

/// Whether somebody keeps the clock right (adjtimex(2), which changes nothing with modes 0): 1 or 0, or -errno.
int clinux_clock_is_synchronized(void);

/// The major number of a device, which /proc/devices lists.
uint32_t clinux_major(uint64_t device);

/// The process that holds a lock on a whole file, as lockf(3) makes it: its id, 0 if none does, or -errno. The descriptor
/// stays the caller's.
int clinux_lock_holder(int descriptor);

/// Sends a sealed file in memory with these bytes over a connected datagram socket: how the journal takes an entry that is
/// too long for a datagram.
int clinux_send_memory(int socket, const uint8_t *bytes, size_t count);

#endif
