// A few Linux calls that Swift's Glibc module omits, because it does not import their structures, macros or variadic
// functions. Each function is one call, returns 0 or -errno, keeps no state, and may be called from any thread.

#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

/// Whether the clock is synchronised (adjtimex(2), which changes nothing with modes 0): 1 or 0, or -errno.
int clinux_clock_is_synchronized(void);

/// The major number of a device, as listed in /proc/devices.
uint32_t clinux_major(uint64_t device);

/// The process that locks a whole file with lockf(3): its id, 0 if there is no lock, or -errno. The caller keeps ownership
/// of the descriptor.
int clinux_lock_holder(int descriptor);

/// Sends these bytes as a sealed memory file over a connected datagram socket: the way to send the journal an entry that is
/// too long for a datagram.
int clinux_send_memory(int socket, const uint8_t *bytes, size_t count);

/// Makes a keyboard from an open descriptor of /dev/uinput, with the keys of a PC's and the light of Caps Lock. It is there until the
/// descriptor is closed.
int clinux_make_keyboard(int descriptor, const char *name);

/// Sends one key of such a keyboard, with the report's end. `state` is 1 for down, 0 for up.
int clinux_send_key(int descriptor, uint16_t key, int state);

/// The light of Caps Lock after all events that wait: 1 or 0, or -errno. `state` is its state before them.
int clinux_read_caps_lock(int descriptor, int state);

#endif
