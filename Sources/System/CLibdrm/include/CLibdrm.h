// Kernel modesetting behind a C header: libdrm's variadic and union-laden interface in the few calls that the screen needs,
// plus two related kernel interfaces outside libdrm: hotplug messages and the virtual terminal.
//
// Functions return 0 or a negative errno; the caller owns memory and makes decisions. In the steady state, a commit and a
// flip allocate nothing. A card's descriptor belongs to one thread.

#ifndef CLIBDRM_H
#define CLIBDRM_H

#include <stddef.h>
#include <stdint.h>

/// Writes the interface version of libdrm at run time, such as `1.3.0`, as a C string. -ENOSPC: `size` is too small.
/// -ENOMEM: no memory. drmGetLibVersion
int clibdrm_version(char *version, size_t size);

// MARK: Cards

/// Opens a card for reading and writing and requests all planes and atomic commits. The first program to open a card without
/// a master becomes its master. -EOPNOTSUPP: the driver is not atomic. open, drmSetClientCap
int clibdrm_open(const char *path, int *card);

void clibdrm_close(int card);

/// 1 if the descriptor may set modes, 0 if not. drmIsMaster
int clibdrm_is_master(int card);

/// -EBUSY: another program is the card's master. -EACCES: not allowed. drmSetMaster
int clibdrm_set_master(int card);

/// drmDropMaster
int clibdrm_drop_master(int card);

// MARK: Connectors and modes

typedef struct {
  uint32_t id;
  /// Such as `HDMI-A-1`.
  char name[32];
  int is_connected;
  /// The panel's size; 0 if unknown.
  uint32_t width_mm, height_mm;
} clibdrm_connector;

/// Probes the card's connectors, except writeback, which may take a while. Writes at most `capacity`; `count` is the total
/// number. drmModeGetConnector
int clibdrm_connectors(int card, clibdrm_connector *connectors, size_t capacity, size_t *count);

typedef struct {
  uint32_t width, height;
  uint32_t refresh_mhz;
  int is_preferred;
  /// The mode in the kernel's own form: a drm_mode_modeinfo.
  uint8_t info[68];
} clibdrm_mode;

/// The modes of a connector at its last probe. Writes at most `capacity`.
int clibdrm_modes(int card, uint32_t connector, clibdrm_mode *modes, size_t capacity, size_t *count);

/// A CRTC that can drive the connector: the present one, else the first possible one. -ENODEV: none.
int clibdrm_crtc(int card, uint32_t connector, uint32_t *crtc, uint32_t *index);

/// CLIBDRM_FORMATS_MAX is more than any driver of the boards lists.
#define CLIBDRM_FORMATS_MAX 96

enum { CLIBDRM_PLANE_OVERLAY = 0, CLIBDRM_PLANE_PRIMARY = 1, CLIBDRM_PLANE_CURSOR = 2 };

typedef struct {
  uint32_t id;
  int type;
  uint32_t formats[CLIBDRM_FORMATS_MAX];
  size_t format_count;
} clibdrm_plane;

/// The planes that can be shown on a CRTC, by its index. Writes at most `capacity`.
int clibdrm_planes(int card, uint32_t crtc_index, clibdrm_plane *planes, size_t capacity, size_t *count);

// MARK: Properties

enum { CLIBDRM_CONNECTOR = 0xC0C0C0C0, CLIBDRM_CRTC = 0xCCCCCCCC, CLIBDRM_PLANE = 0xEEEEEEEE };

typedef struct {
  uint32_t id;
  uint64_t value;
  int is_immutable;
} clibdrm_property;

/// A property of an object, by its name. -ENOENT: the object does not have it.
int clibdrm_get_property(int card, uint32_t object, uint32_t object_type, const char *name, clibdrm_property *property);

/// The value of a name in an enumerated or bitmask property: the value, or the bit's number. -ENOENT: the name is unknown.
int clibdrm_named_value(int card, uint32_t property, const char *name, uint64_t *value);

int clibdrm_blob(int card, const void *bytes, size_t size, uint32_t *blob);
void clibdrm_blob_free(int card, uint32_t blob);

// MARK: Buffers

typedef struct {
  uint32_t handle, pitch;
  uint64_t size;
  uint8_t *bytes;
} clibdrm_buffer;

/// A buffer in display memory, mapped and zeroed. Reading from it may be very slow.
int clibdrm_buffer_make(int card, uint32_t width, uint32_t height, uint32_t bits_per_pixel, clibdrm_buffer *buffer);
void clibdrm_buffer_free(int card, clibdrm_buffer *buffer);

/// A framebuffer over up to four planes of buffers. drmModeAddFB2
int clibdrm_framebuffer(
  int card, uint32_t width, uint32_t height, uint32_t format, const uint32_t handles[4], const uint32_t pitches[4],
  const uint32_t offsets[4], uint32_t *framebuffer);
void clibdrm_framebuffer_free(int card, uint32_t framebuffer);

/// The card's handle of a DMA buffer, which stays the same for a buffer. drmPrimeFDToHandle
int clibdrm_import(int card, int dma_buffer, uint32_t *handle);
void clibdrm_handle_free(int card, uint32_t handle);

// MARK: Commits

typedef struct {
  uint32_t object, property;
  uint64_t value;
} clibdrm_change;

/// The most changes per commit.
#define CLIBDRM_CHANGES_MAX 96

enum { CLIBDRM_TEST = 1, CLIBDRM_MODESET = 2, CLIBDRM_FLIP = 4 };

/// Commits changes atomically. Changes of the same object must be adjacent.
///
/// CLIBDRM_TEST: only asks. CLIBDRM_MODESET: modes may change; blocks. CLIBDRM_FLIP: returns at once; `clibdrm_wait_flip`
/// waits for the flip. -EACCES: not the master. -EBUSY: the last flip is pending. -EINVAL, -ERANGE, -ENOSPC: the hardware
/// cannot do this.
int clibdrm_commit(int card, const clibdrm_change *changes, size_t count, int flags);

/// Waits for the flip of the last commit. -ETIMEDOUT: it did not come in time.
int clibdrm_wait_flip(int card, int timeout_ms);

// MARK: Hotplug

/// Listens to the kernel's messages about devices; does not block.
int clibdrm_hotplug_open(int *descriptor);

/// 1 if a message about a graphics card has come since the last call, 0 if not.
int clibdrm_hotplug_seen(int descriptor);

// MARK: The virtual terminal

/// Switches a terminal such as `/dev/tty1` to graphics: the kernel draws no text on it, and asks before it switches away.
/// Keys typed there are not echoed, do not end a process, and are discarded when the terminal is given back. One terminal
/// per process: the requests come as SIGRTMIN and the next signal, because people use the others. KDSETMODE, VT_SETMODE
int clibdrm_terminal_take(const char *path, int *terminal);

enum { CLIBDRM_TERMINAL_LEAVING = 1, CLIBDRM_TERMINAL_ENTERED = 2 };

/// The kernel's request since the last call: 0 or one of the above.
int clibdrm_terminal_asked(void);

/// Lets the kernel switch away, or confirms the return. VT_RELDISP
int clibdrm_terminal_answer(int terminal, int is_entered);

/// Whether the terminal is visible: 1, 0, or a negative errno. VT_GETSTATE
int clibdrm_terminal_is_seen(int terminal);

/// Switches the terminal back to text, and closes it.
void clibdrm_terminal_give_back(int terminal);

/// Switches a terminal that a killed program left in graphics back to text.
int clibdrm_terminal_restore(const char *path);

#endif
