// The camera library behind a C header: Swift cannot import its C++ classes, and their binary interface changes with every
// minor version. One C++ file builds against 0.0.3 to 0.7.1. Here is no policy and no retry: which camera, which format,
// what to do about a failure is decided by the caller.
//
// Functions return 0, or a count where they say so, or a negative errno. Memory is the caller's unless it says otherwise.
// Unless it says otherwise a function blocks no longer than the driver does and belongs to one thread at a time.

#ifndef CLIBCAMERA_H
#define CLIBCAMERA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the version of the libcamera that this program runs with, such as `v0.0.3`, as a C string.
/// -ENOSPC: `size` is too small. libcamera::CameraManager::version
int clibcamera_version(char *version, size_t size);

// MARK: Messages

/// Called with a message of the library, which ends with a line feed; on any thread, by one at a time. Must not call the
/// library.
typedef void (*clibcamera_message)(void *context, const char *text, size_t byte_count);

/// Sends the library's messages to a receiver instead of standard error, for the rest of the process. libcamera::logSetStream
int clibcamera_route_messages(clibcamera_message receiver, void *context);

// MARK: Cameras

/// All cameras of this machine. libcamera allows one in a process at a time. libcamera::CameraManager
typedef struct clibcamera_manager clibcamera_manager;

/// A camera that is ours: nobody else can have it until it is closed. libcamera::Camera
typedef struct clibcamera_camera clibcamera_camera;

/// A camera as the list tells of it.
typedef struct {
  /// Stable for the port it is on, such as `\_SB_.PCI0.LAB0-1:1.0-1d6b:0104`.
  char id[256];
  /// What it is, such as `imx708` or the name of a USB camera; empty if it does not say.
  char model[128];
  /// How it is mounted: degrees clockwise that its picture is turned by; 0 if it does not say.
  int32_t rotation;
} clibcamera_description;

/// Looks for cameras and watches them come and go, on a thread of libcamera's own.
/// -EBUSY: this process has a manager already.
int clibcamera_manager_create(clibcamera_manager **manager);

/// Every camera must be closed. NULL is taken.
void clibcamera_manager_destroy(clibcamera_manager *manager);

/// Writes at most `capacity` descriptions; returns how many cameras there are.
int clibcamera_list(clibcamera_manager *manager, clibcamera_description *descriptions, size_t capacity);

/// Takes a camera. -ENODEV: there is none of this id. -EBUSY: somebody else has it, in this process or another.
/// -EACCES, -EPERM: its device may not be opened. libcamera::Camera::acquire
int clibcamera_open(clibcamera_manager *manager, const char *id, clibcamera_camera **camera);

/// Gives the camera back; stops it if it runs. May block as `clibcamera_stop`. NULL is taken.
void clibcamera_close(clibcamera_camera *camera);

// MARK: Streams

/// Streams that one camera gives at once: one for the decoder, one for the screen.
enum { CLIBCAMERA_STREAM_COUNT_MAX = 2 };
/// Buffers that one stream has.
enum { CLIBCAMERA_BUFFER_COUNT_MAX = 8 };
/// Planes that one picture has.
enum { CLIBCAMERA_PLANE_COUNT_MAX = 3 };

/// What a stream is to be, or is. Formats are DRM's FourCC codes without modifier, such as `NV12`.
typedef struct {
  uint32_t format;
  uint32_t width;
  uint32_t height;
  /// Bytes from one row of the first plane to the next; written only.
  uint32_t stride;
  /// Bytes of a whole picture; written only.
  uint32_t byte_count;
  /// 1…CLIBCAMERA_BUFFER_COUNT_MAX.
  uint32_t buffer_count;
} clibcamera_stream;

/// Writes at most `capacity` formats that the camera lists for a viewfinder, and returns how many there are.
int clibcamera_list_formats(clibcamera_camera *camera, uint32_t *formats, size_t capacity);

/// Asks what these streams would become; changes nothing but the wishes, which say then what can be had.
/// -EINVAL: there is no such combination. libcamera::CameraConfiguration::validate
int clibcamera_validate(clibcamera_camera *camera, clibcamera_stream *streams, size_t stream_count);

/// Configures the camera and writes what the streams are. Not while it runs. libcamera::Camera::configure
int clibcamera_configure(clibcamera_camera *camera, clibcamera_stream *streams, size_t stream_count);

// MARK: Controls

/// Which controls; a bit each.
typedef enum {
  CLIBCAMERA_EXPOSURE = 1 << 0,
  CLIBCAMERA_GAIN = 1 << 1,
  CLIBCAMERA_FRAME_DURATION = 1 << 2,
  CLIBCAMERA_AF_MODE = 1 << 3,
  CLIBCAMERA_AF_RANGE = 1 << 4,
  CLIBCAMERA_LENS_POSITION = 1 << 5,
  CLIBCAMERA_CROP = 1 << 6,
} clibcamera_control;

/// libcamera::controls::AfModeEnum
enum { CLIBCAMERA_AF_MANUAL = 0, CLIBCAMERA_AF_AUTO = 1, CLIBCAMERA_AF_CONTINUOUS = 2 };
/// libcamera::controls::AfRangeEnum
enum { CLIBCAMERA_AF_NORMAL = 0, CLIBCAMERA_AF_MACRO = 1, CLIBCAMERA_AF_FULL = 2 };

/// A rectangle of the sensor's pixels.
typedef struct {
  int32_t x, y;
  uint32_t width, height;
} clibcamera_rectangle;

/// Values of controls: wishes, or what the sensor really did.
typedef struct {
  /// The bits of the values that are there.
  uint32_t present;
  int32_t exposure_us;
  /// A factor, at least 1.
  float gain;
  /// From one frame to the next: shortest and longest.
  int64_t frame_duration_min_us, frame_duration_max_us;
  int32_t af_mode, af_range;
  /// Dioptres: 5 is 0.2 m.
  float lens_position;
  clibcamera_rectangle crop;
} clibcamera_controls;

/// The bits of the controls that the camera lists.
uint32_t clibcamera_supported_controls(clibcamera_camera *camera);

/// Sets controls with the next request that is queued; from any thread. Those that the camera does not list are left out.
/// Returns the bits of those that will be set.
uint32_t clibcamera_set_controls(clibcamera_camera *camera, const clibcamera_controls *controls);

// MARK: Frames

/// A plane of a picture: memory that the camera wrote, mapped for reading.
typedef struct {
  const uint8_t *data;
  /// Bytes that may be read.
  size_t byte_count;
  /// Bytes that the camera wrote; less than `byte_count` for compressed pictures.
  size_t used_byte_count;
  /// The dma-buf and where the plane begins in it; for a screen to show without a copy.
  int fd;
  uint32_t offset;
} clibcamera_plane;

/// A frame that was completed. It is the receiver's until `clibcamera_queue`.
typedef struct {
  /// Which buffer; names the frame to `clibcamera_queue` and `clibcamera_begin_read`.
  uint32_t buffer;
  /// 0: good. -ECANCELED: the camera stops, or has lost its sensor. -EIO: the picture is damaged. -EAGAIN: the sensor is
  /// still starting and the picture not to be used.
  int32_t status;
  /// As the driver counts; a gap is frames that were lost.
  uint64_t sequence;
  /// When the exposure began, in nanoseconds: CLOCK_BOOTTIME of a Pi's sensors, CLOCK_MONOTONIC of USB cameras.
  uint64_t timestamp_ns;
  uint32_t stream_count;
  uint32_t plane_counts[CLIBCAMERA_STREAM_COUNT_MAX];
  clibcamera_plane planes[CLIBCAMERA_STREAM_COUNT_MAX][CLIBCAMERA_PLANE_COUNT_MAX];
  /// What the sensor did, read back from the frame's metadata.
  clibcamera_controls controls;
} clibcamera_frame;

/// Called on libcamera's thread. Must not block; the frame is valid during the call, its memory until it is queued again.
typedef void (*clibcamera_completed)(void *context, const clibcamera_frame *frame);

/// Called on libcamera's thread when the camera was unplugged. No frame follows.
typedef void (*clibcamera_disconnected)(void *context);

/// Makes and maps the buffers of the configured streams; returns how many of each there are. Where a camera takes fewer at
/// once, the others wait their turn: `clibcamera_queue` sees to that.
///
/// `buffer_count`: how many are wished for; the driver's own memory comes in the number that the stream says.
/// `heap`: a DMA heap's device, such as `/dev/dma_heap/vidbuf_cached`; NULL for the driver's own memory, which on a Pi is
/// slow to read. -ENOENT, -EACCES: there is no such heap, or it may not be opened. Buffers of before are freed.
int clibcamera_allocate(clibcamera_camera *camera, const char *heap, uint32_t buffer_count);

/// Begins to record. Frames are given to `completed` until `clibcamera_stop` returns.
/// libcamera::Camera::start
int clibcamera_start(
    clibcamera_camera *camera, const clibcamera_controls *controls, clibcamera_completed completed,
    clibcamera_disconnected disconnected, void *context);

/// Stops recording and frees the buffers; no callback comes after it returned. Blocks while the driver does: for seconds
/// if a device hangs. libcamera::Camera::stop
int clibcamera_stop(clibcamera_camera *camera);

/// Gives a buffer back to be filled again; from any thread, also from within `completed`.
/// -EACCES, -ENODEV: the camera does not record any more.
int clibcamera_queue(clibcamera_camera *camera, uint32_t buffer);

/// How the kernel refused a buffer last, as a negative errno; 0 if it took all that it was given since the last call of this.
/// A refused buffer does not come back until its camera stops.
int clibcamera_take_refusal(void);

/// Makes what the camera wrote into a buffer visible to this processor; `end` before it is queued again.
/// DMA_BUF_IOCTL_SYNC; without effect on memory that is no dma-buf.
int clibcamera_begin_read(clibcamera_camera *camera, uint32_t buffer);
int clibcamera_end_read(clibcamera_camera *camera, uint32_t buffer);

// MARK: Arrivals

/// Devices that udev announces.
struct clibcamera_arrivals;

/// Listens from now on. -ENODEV: there is no netlink socket to be had.
int clibcamera_arrivals_open(struct clibcamera_arrivals **arrivals);

/// Waits for news. 1: a device of a camera has come; 0: none, or other news; else an errno, negative.
int clibcamera_arrivals_next(struct clibcamera_arrivals *arrivals, int milliseconds);

void clibcamera_arrivals_close(struct clibcamera_arrivals *arrivals);

#ifdef __cplusplus
}
#endif

#endif
