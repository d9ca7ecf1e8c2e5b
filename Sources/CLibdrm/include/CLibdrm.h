// Kernel modesetting behind a C header: libdrm's variadic and union-laden interface in the few calls that the screen needs,
// and the two neighbours of a panel that are not libdrm's: the kernel's hotplug messages and the virtual terminal.
//
// Functions return 0 or a negative errno; memory is the caller's, decisions too. None allocates in the steady state: a commit
// and a flip take no memory of the process. A card's descriptor belongs to one thread.

#ifndef CLIBDRM_H
#define CLIBDRM_H

#include <stddef.h>
#include <stdint.h>

/// Writes the interface version of the libdrm that this program runs with, such as `1.3.0`, as a C string.
/// -ENOSPC: `size` is too small. -ENOMEM: no memory. drmGetLibVersion
int clibdrm_version(char *version, size_t size);

// MARK: Cards

/// Opens a card for reading and writing and asks for all planes and atomic commits. The first who opens a card while nobody
/// is its master becomes that. -EOPNOTSUPP: the driver is not atomic. open, drmSetClientCap
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
  /// The panel's size; 0 if it is not known.
  uint32_t width_mm, height_mm;
} clibdrm_connector;

/// Probes the card's connectors, writeback left out, which may take a while. Writes at most `capacity`; `count` is how many
/// there are. drmModeGetConnector
int clibdrm_connectors(int card, clibdrm_connector *connectors, size_t capacity, size_t *count);

typedef struct {
  uint32_t width, height;
  uint32_t refresh_mhz;
  int is_preferred;
  /// What the kernel wants back: a drm_mode_modeinfo.
  uint8_t info[68];
} clibdrm_mode;

/// The modes of a connector as probed last. Writes at most `capacity`.
int clibdrm_modes(int card, uint32_t connector, clibdrm_mode *modes, size_t capacity, size_t *count);

/// A CRTC that can drive the connector: the one that does, else the first that may. -ENODEV: none.
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

/// A property of an object, by its name. -ENOENT: the object has none of this name.
int clibdrm_get_property(int card, uint32_t object, uint32_t object_type, const char *name, clibdrm_property *property);

/// The value that a name stands for in a property of named values or bits: the value, or the bit's number. -ENOENT: none.
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

/// The card's handle of a DMA buffer; the same each time for one buffer. drmPrimeFDToHandle
int clibdrm_import(int card, int dma_buffer, uint32_t *handle);
void clibdrm_handle_free(int card, uint32_t handle);

// MARK: Commits

typedef struct {
  uint32_t object, property;
  uint64_t value;
} clibdrm_change;

/// Changes of one commit at most.
#define CLIBDRM_CHANGES_MAX 96

enum { CLIBDRM_TEST = 1, CLIBDRM_MODESET = 2, CLIBDRM_FLIP = 4 };

/// Commits changes atomically. Those of one object must follow each other.
///
/// CLIBDRM_TEST: only asks. CLIBDRM_MODESET: modes may change; blocks. CLIBDRM_FLIP: returns at once; the flip is waited for
/// with `clibdrm_wait_flip`. -EACCES: not the master. -EBUSY: the last flip is not done. -EINVAL, -ERANGE, -ENOSPC: the
/// hardware cannot do this.
int clibdrm_commit(int card, const clibdrm_change *changes, size_t count, int flags);

/// Waits for the flip of the last commit. -ETIMEDOUT: it did not come in time.
int clibdrm_wait_flip(int card, int timeout_ms);

// MARK: Hotplug

/// Listens to the kernel's messages about devices; does not block.
int clibdrm_hotplug_open(int *descriptor);

/// 1 if a message about a graphics card has come since last asked, 0 if not.
int clibdrm_hotplug_seen(int descriptor);

// MARK: The virtual terminal

/// Takes a terminal such as `/dev/tty1` for graphics: the kernel draws no text on it, and asks before it switches away. Keys
/// typed there are not shown, end no process, and are forgotten when it is given back.
/// One at a time in a process: the questions come as SIGRTMIN and the next, for the others are asked by people. KDSETMODE, VT_SETMODE
int clibdrm_terminal_take(const char *path, int *terminal);

enum { CLIBDRM_TERMINAL_LEAVING = 1, CLIBDRM_TERMINAL_ENTERED = 2 };

/// What the kernel has asked since last time: 0 or one of those above.
int clibdrm_terminal_asked(void);

/// Lets the kernel switch away, or confirms that we are back. VT_RELDISP
int clibdrm_terminal_answer(int terminal, int is_entered);

/// Whether the terminal is the one that is seen: 1, 0, or a negative errno. VT_GETSTATE
int clibdrm_terminal_is_seen(int terminal);

/// Gives the terminal back to text, and closes it.
void clibdrm_terminal_give_back(int terminal);

/// Gives a terminal back that a killed program has left in graphics.
int clibdrm_terminal_restore(const char *path);

#endif
