// The camera library behind a C header: Swift cannot import its C++ classes, and their binary interface changes with every
// minor version. One C++ file builds against 0.0.3 to 0.7.1. It contains no policy and no retries: the caller chooses the
// camera and format and handles failures.
//
// Functions return 0, or a count where documented, or a negative errno. Memory belongs to the caller unless documented
// otherwise. Unless documented otherwise, a function blocks only as long as the driver does and belongs to one thread at a
// time.

#ifndef CLIBCAMERA_H
#define CLIBCAMERA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the version of libcamera at run time, such as `v0.0.3`, as a C string. -ENOSPC: `size` is too small.
/// libcamera::CameraManager::version
int clibcamera_version(char *version, size_t size);

// MARK: Messages

/// Called with a message of the library, which ends with a line feed; on any thread, one at a time. Must not call the
/// library.
typedef void (*clibcamera_message)(void *context, const char *text, size_t byte_count);

/// Sends the library's messages to a receiver instead of standard error, for the rest of the process. libcamera::logSetStream
int clibcamera_route_messages(clibcamera_message receiver, void *context);

// MARK: Cameras

/// All cameras of this machine. libcamera allows one manager per process at a time. libcamera::CameraManager
typedef struct clibcamera_manager clibcamera_manager;

/// A camera held by this process: no other can open it until it is closed. libcamera::Camera
typedef struct clibcamera_camera clibcamera_camera;

/// A camera in the list.
typedef struct {
  /// Stable for the port that it is connected to, such as `\_SB_.PCI0.LAB0-1:1.0-1d6b:0104`.
  char id[256];
  /// The model, such as `imx708` or the name of a USB camera; empty if the camera does not report it.
  char model[128];
  /// The mounting: clockwise rotation of its picture in degrees; 0 if the camera does not report it.
  int32_t rotation;
} clibcamera_description;

/// Searches for cameras and watches them come and go, on a thread of libcamera's.
/// -EBUSY: this process already has a manager.
int clibcamera_manager_create(clibcamera_manager **manager);

/// Destroys the manager. Every camera must be closed. NULL is allowed.
void clibcamera_manager_destroy(clibcamera_manager *manager);

/// Writes at most `capacity` descriptions; returns the number of cameras.
int clibcamera_list(clibcamera_manager *manager, clibcamera_description *descriptions, size_t capacity);

/// Acquires a camera. -ENODEV: no camera has this id. -EBUSY: this process or another one holds it. -EACCES, -EPERM: its
/// device may not be opened. libcamera::Camera::acquire
int clibcamera_open(clibcamera_manager *manager, const char *id, clibcamera_camera **camera);

/// Releases the camera; stops it if it runs. May block like `clibcamera_stop`. NULL is allowed.
void clibcamera_close(clibcamera_camera *camera);

// MARK: Streams

/// The most streams of a camera at once: one for the decoder, one for the screen.
enum { CLIBCAMERA_STREAM_COUNT_MAX = 2 };
/// The most buffers per stream.
enum { CLIBCAMERA_BUFFER_COUNT_MAX = 8 };
/// The most planes per picture.
enum { CLIBCAMERA_PLANE_COUNT_MAX = 3 };

/// A stream, requested or actual. Formats are DRM's FourCC codes without modifier, such as `NV12`.
typedef struct {
  uint32_t format;
  uint32_t width;
  uint32_t height;
  /// Bytes between rows of the first plane; output only.
  uint32_t stride;
  /// Bytes of a whole picture; output only.
  uint32_t byte_count;
  /// 1…CLIBCAMERA_BUFFER_COUNT_MAX.
  uint32_t buffer_count;
} clibcamera_stream;

/// Writes at most `capacity` formats that the camera lists for a viewfinder; returns their number.
int clibcamera_list_formats(clibcamera_camera *camera, uint32_t *formats, size_t capacity);

/// Adjusts the requested streams to what the camera can deliver; changes only `streams`.
/// -EINVAL: no such combination exists. libcamera::CameraConfiguration::validate
int clibcamera_validate(clibcamera_camera *camera, clibcamera_stream *streams, size_t stream_count);

/// Configures the camera and writes the actual streams. Not while it runs. libcamera::Camera::configure
int clibcamera_configure(clibcamera_camera *camera, clibcamera_stream *streams, size_t stream_count);

// MARK: Controls

/// Controls, one bit each.
typedef enum {
  CLIBCAMERA_EXPOSURE = 1 << 0,
  CLIBCAMERA_GAIN = 1 << 1,
  CLIBCAMERA_FRAME_DURATION = 1 << 2,
  CLIBCAMERA_AF_MODE = 1 << 3,
  CLIBCAMERA_AF_RANGE = 1 << 4,
  CLIBCAMERA_LENS_POSITION = 1 << 5,
  CLIBCAMERA_CROP = 1 << 6,
  /// Exposure and gain are the camera's own; it has no value.
  CLIBCAMERA_AUTO_EXPOSURE = 1 << 7,
  CLIBCAMERA_AF_WINDOW = 1 << 8,
} clibcamera_control;

/// libcamera::controls::AfModeEnum
enum { CLIBCAMERA_AF_MANUAL = 0, CLIBCAMERA_AF_AUTO = 1, CLIBCAMERA_AF_CONTINUOUS = 2 };
/// libcamera::controls::AfRangeEnum
enum { CLIBCAMERA_AF_NORMAL = 0, CLIBCAMERA_AF_MACRO = 1, CLIBCAMERA_AF_FULL = 2 };

/// A rectangle in sensor pixels.
typedef struct {
  int32_t x, y;
  uint32_t width, height;
} clibcamera_rectangle;

/// Values of controls: requested, or actually used by the sensor.
typedef struct {
  /// The bits of the valid values.
  uint32_t present;
  int32_t exposure_us;
  /// A factor, at least 1.
  float gain;
  /// The time from one frame to the next: shortest and longest.
  int64_t frame_duration_min_us, frame_duration_max_us;
  int32_t af_mode, af_range;
  /// In dioptres: 5 is 0.2 m.
  float lens_position;
  clibcamera_rectangle crop;
  /// Where the camera focuses while it does so by itself.
  clibcamera_rectangle af_window;
} clibcamera_controls;

/// The limits of the controls that a camera lists.
typedef struct {
  /// The bits of the controls whose limits are valid.
  uint32_t present;
  int32_t exposure_min_us, exposure_max_us;
  float gain_min, gain_max;
  float lens_min, lens_max;
  int64_t frame_duration_min_us, frame_duration_max_us;
} clibcamera_limits;

/// The bits of the controls that the camera lists.
uint32_t clibcamera_supported_controls(clibcamera_camera *camera);

/// The limits of exposure, gain, lens and frame duration; the camera's configuration may change them.
clibcamera_limits clibcamera_control_limits(clibcamera_camera *camera);

/// Sets controls with the next queued request; from any thread. Controls that the camera does not list are skipped. Returns
/// the bits of the controls that will be set.
uint32_t clibcamera_set_controls(clibcamera_camera *camera, const clibcamera_controls *controls);

// MARK: Frames

/// A plane of a picture: memory written by the camera, mapped for reading.
typedef struct {
  const uint8_t *data;
  /// The number of readable bytes.
  size_t byte_count;
  /// The number of bytes that the camera wrote; less than `byte_count` for compressed pictures.
  size_t used_byte_count;
  /// The dma-buf and the offset of the plane in it, with which a screen shows it without a copy.
  int fd;
  uint32_t offset;
} clibcamera_plane;

/// A completed frame. The receiver owns it until `clibcamera_queue`.
typedef struct {
  /// The buffer's number, for `clibcamera_queue` and `clibcamera_begin_read`.
  uint32_t buffer;
  /// 0: good. -ECANCELED: the camera is stopping, or has lost its sensor. -EIO: the picture is damaged. -EAGAIN: the sensor
  /// is still starting and the picture is not usable.
  int32_t status;
  /// The driver's count; a gap means lost frames.
  uint64_t sequence;
  /// When the exposure began, in nanoseconds: CLOCK_BOOTTIME of a Pi's sensors, CLOCK_MONOTONIC of USB cameras.
  uint64_t timestamp_ns;
  uint32_t stream_count;
  uint32_t plane_counts[CLIBCAMERA_STREAM_COUNT_MAX];
  clibcamera_plane planes[CLIBCAMERA_STREAM_COUNT_MAX][CLIBCAMERA_PLANE_COUNT_MAX];
  /// The sensor's settings, read back from the frame's metadata.
  clibcamera_controls controls;
} clibcamera_frame;

/// Called on libcamera's thread. Must not block; the frame is valid during the call, its memory until it is queued again.
typedef void (*clibcamera_completed)(void *context, const clibcamera_frame *frame);

/// Called on libcamera's thread when the camera was unplugged. No frame follows.
typedef void (*clibcamera_disconnected)(void *context);

/// Allocates and maps the buffers of the configured streams; returns the number per stream. If a camera accepts fewer at
/// once, `clibcamera_queue` lets the others wait.
///
/// `buffer_count`: the requested number; the driver's own memory comes in the number that the stream states. `heap`: the
/// device of a DMA heap, such as `/dev/dma_heap/vidbuf_cached`; NULL for the driver's own memory, which is slow to read on a
/// Pi. -ENOENT, -EACCES: the heap does not exist, or may not be opened. Earlier buffers are freed.
int clibcamera_allocate(clibcamera_camera *camera, const char *heap, uint32_t buffer_count);

/// Starts recording. `completed` is called with each frame until `clibcamera_stop` returns.
/// libcamera::Camera::start
int clibcamera_start(
    clibcamera_camera *camera, const clibcamera_controls *controls, clibcamera_completed completed,
    clibcamera_disconnected disconnected, void *context);

/// Stops recording and frees the buffers; no callback follows its return. Blocks while the driver does: for seconds if a
/// device hangs. libcamera::Camera::stop
int clibcamera_stop(clibcamera_camera *camera);

/// Returns a buffer to be filled again; from any thread, also from within `completed`.
/// -EACCES, -ENODEV: the camera no longer records.
int clibcamera_queue(clibcamera_camera *camera, uint32_t buffer);

/// The kernel's last refusal of a buffer, as a negative errno; 0 if it has accepted all since the last call. A refused
/// buffer does not come back until its camera stops.
int clibcamera_take_refusal(void);

/// Makes data that the camera wrote into a buffer visible to the processor; call `end` before it is queued again.
/// DMA_BUF_IOCTL_SYNC; no effect on memory that is not a dma-buf.
int clibcamera_begin_read(clibcamera_camera *camera, uint32_t buffer);
int clibcamera_end_read(clibcamera_camera *camera, uint32_t buffer);

// MARK: Arrivals

/// Devices that udev announces.
struct clibcamera_arrivals;

/// Starts listening. -ENODEV: no netlink socket is available.
int clibcamera_arrivals_open(struct clibcamera_arrivals **arrivals);

/// Waits for news. 1: a camera's device has come; 0: no news, or other news; otherwise a negative errno.
int clibcamera_arrivals_next(struct clibcamera_arrivals *arrivals, int milliseconds);

void clibcamera_arrivals_close(struct clibcamera_arrivals *arrivals);

/// Whether udev still has devices to announce. 0 also if udev does not run.
int clibcamera_announcements_wait(void);

#ifdef __cplusplus
}
#endif

#endif
