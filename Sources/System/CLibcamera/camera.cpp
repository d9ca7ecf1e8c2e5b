// libcamera's C++ classes as plain functions. Versions differ only in a few names: those are at the top, behind guards.

#include "CLibcamera.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <libcamera/camera.h>
#include <libcamera/camera_manager.h>
#include <libcamera/control_ids.h>
#include <libcamera/formats.h>
#include <libcamera/framebuffer_allocator.h>
#include <libcamera/logging.h>
#include <libcamera/property_ids.h>
#include <libcamera/request.h>
#include <libcamera/version.h>

#define RUNS_WITH(major, minor, patch) \
  (LIBCAMERA_VERSION_MAJOR * 1000000 + LIBCAMERA_VERSION_MINOR * 1000 + LIBCAMERA_VERSION_PATCH >= \
   (major) * 1000000 + (minor) * 1000 + (patch))

using namespace libcamera;

namespace {

/// Whether a frame is one that a sensor delivers before it is stable. Known since 0.5.2.
bool isStartup(const libcamera::FrameMetadata &metadata) {
#if RUNS_WITH(0, 5, 2)
  return metadata.status == libcamera::FrameMetadata::FrameStartup;
#else
  (void)metadata;
  return false;
#endif
}

/// Whether a camera lists a control. `ControlInfoMap::count` would also count those that only libcamera itself knows.
bool lists(const ControlInfoMap &known, unsigned int id) { return known.find(id) != known.end(); }

/// Fixes exposure or gain, and leaves the other to the camera unless it is fixed too.
void setManual(ControlList &list, const ControlInfoMap &known, bool fixesExposure, bool fixesGain) {
#if RUNS_WITH(0, 5, 0)
  if (fixesExposure && lists(known, controls::EXPOSURE_TIME_MODE))
    list.set(controls::ExposureTimeMode, controls::ExposureTimeModeManual);
  if (fixesGain && lists(known, controls::ANALOGUE_GAIN_MODE))
    list.set(controls::AnalogueGainMode, controls::AnalogueGainModeManual);
#else
  // Before 0.5, a nonzero value is fixed while the rest of the automatic continues.
  if (fixesExposure && fixesGain && lists(known, controls::AE_ENABLE)) list.set(controls::AeEnable, false);
#endif
}

/// Leaves exposure and gain to the camera.
void setAutomatic(ControlList &list, const ControlInfoMap &known) {
#if RUNS_WITH(0, 5, 0)
  if (lists(known, controls::EXPOSURE_TIME_MODE)) list.set(controls::ExposureTimeMode, controls::ExposureTimeModeAuto);
  if (lists(known, controls::ANALOGUE_GAIN_MODE)) list.set(controls::AnalogueGainMode, controls::AnalogueGainModeAuto);
#else
  // Before 0.5, zero returns a fixed value to the automatic.
  if (lists(known, controls::AE_ENABLE)) list.set(controls::AeEnable, true);
  if (lists(known, controls::EXPOSURE_TIME)) list.set(controls::ExposureTime, 0);
  if (lists(known, controls::ANALOGUE_GAIN)) list.set(controls::AnalogueGain, 0.0f);
#endif
}

bool hasAutomatic(const ControlInfoMap &known) {
#if RUNS_WITH(0, 5, 0)
  return lists(known, controls::EXPOSURE_TIME_MODE) || lists(known, controls::AE_ENABLE);
#else
  return lists(known, controls::AE_ENABLE);
#endif
}

/// A mapping of a dma-buf, which lives as long as its camera has buffers.
struct Mapping {
  int fd = -1;
  void *address = MAP_FAILED;
  size_t byteCount = 0;

  Mapping(int fd) : fd(fd) {
    off_t end = lseek(fd, 0, SEEK_END);
    if (end <= 0) return;
    byteCount = static_cast<size_t>(end);
    address = mmap(nullptr, byteCount, PROT_READ, MAP_SHARED, fd, 0);
  }
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping() {
    if (address != MAP_FAILED) munmap(address, byteCount);
  }

  int sync(uint64_t flags) const {
    dma_buf_sync argument = {flags | DMA_BUF_SYNC_READ};
    while (ioctl(fd, DMA_BUF_IOCTL_SYNC, &argument) != 0) {
      if (errno == ENOTTY) return 0;
      if (errno != EINTR && errno != EAGAIN) return -errno;
    }
    return 0;
  }
};

/// The layout of a picture in a block of memory; empty for unknown formats.
std::vector<FrameBuffer::Plane> planesOf(const StreamConfiguration &stream, const SharedFD &fd) {
  const unsigned int luma = stream.stride * stream.size.height;
  std::vector<unsigned int> lengths;
  if (stream.pixelFormat == formats::NV12 || stream.pixelFormat == formats::NV21)
    lengths = {luma, luma / 2};
  else if (stream.pixelFormat == formats::YUV420 || stream.pixelFormat == formats::YVU420)
    lengths = {luma, luma / 4, luma / 4};
  else
    lengths = {stream.frameSize};
  std::vector<FrameBuffer::Plane> planes;
  unsigned int offset = 0;
  for (unsigned int length : lengths) {
    FrameBuffer::Plane plane;
    plane.fd = fd;
    plane.offset = offset;
    plane.length = length;
    planes.push_back(plane);
    offset += length;
  }
  return planes;
}

/// A buffer per stream, the request that fills them, and their mappings.
struct Buffer {
  std::unique_ptr<Request> request;
  std::vector<FrameBuffer *> pictures;
  std::vector<std::unique_ptr<Mapping>> mappings;
  clibcamera_frame frame = {};
};

int allocateFromHeap(int heap, size_t byteCount) {
  dma_heap_allocation_data data = {};
  data.len = byteCount;
  data.fd_flags = O_RDWR | O_CLOEXEC;
  if (ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data) != 0) return -errno;
  return static_cast<int>(data.fd);
}

int takeStreams(CameraConfiguration &configuration, clibcamera_stream *streams, size_t count) {
  for (size_t index = 0; index < count; index++) {
    StreamConfiguration &stream = configuration.at(index);
    stream.pixelFormat = PixelFormat(streams[index].format);
    stream.size = Size(streams[index].width, streams[index].height);
    stream.bufferCount = std::clamp<unsigned int>(streams[index].buffer_count, 1, CLIBCAMERA_BUFFER_COUNT_MAX);
  }
  if (configuration.validate() == CameraConfiguration::Invalid) return -EINVAL;
  if (configuration.size() != count) return -EINVAL;
  for (size_t index = 0; index < count; index++) {
    const StreamConfiguration &stream = configuration.at(index);
    streams[index].format = stream.pixelFormat.fourcc();
    streams[index].width = stream.size.width;
    streams[index].height = stream.size.height;
    streams[index].stride = stream.stride;
    streams[index].byte_count = stream.frameSize;
    streams[index].buffer_count = std::min<unsigned int>(stream.bufferCount, CLIBCAMERA_BUFFER_COUNT_MAX);
  }
  return 0;
}

void copyText(char *target, size_t size, const std::string &text) {
  const size_t count = std::min(size - 1, text.size());
  std::memcpy(target, text.data(), count);
  target[count] = 0;
}

clibcamera_rectangle rectangle(const Rectangle &other) { return {other.x, other.y, other.width, other.height}; }

/// The sensor's settings, where a frame's metadata reports them.
clibcamera_controls readBack(const ControlList &metadata) {
  clibcamera_controls values = {};
  if (const auto exposure = metadata.get(controls::ExposureTime)) {
    values.present |= CLIBCAMERA_EXPOSURE;
    values.exposure_us = *exposure;
  }
  if (const auto gain = metadata.get(controls::AnalogueGain)) {
    values.present |= CLIBCAMERA_GAIN;
    values.gain = *gain;
  }
  if (const auto duration = metadata.get(controls::FrameDuration)) {
    values.present |= CLIBCAMERA_FRAME_DURATION;
    values.frame_duration_min_us = values.frame_duration_max_us = *duration;
  }
  if (const auto position = metadata.get(controls::LensPosition)) {
    values.present |= CLIBCAMERA_LENS_POSITION;
    values.lens_position = *position;
  }
  if (const auto crop = metadata.get(controls::ScalerCrop)) {
    values.present |= CLIBCAMERA_CROP;
    values.crop = rectangle(*crop);
  }
  return values;
}

}  // namespace

struct clibcamera_manager {
  CameraManager manager;
};

struct clibcamera_camera {
  std::shared_ptr<Camera> camera;
  std::unique_ptr<CameraConfiguration> configuration;
  std::unique_ptr<FrameBufferAllocator> allocator;
  std::vector<std::unique_ptr<FrameBuffer>> pictures;
  std::vector<Buffer> buffers;
  std::mutex wishLock;
  ControlList wishes;
  clibcamera_completed completed = nullptr;
  clibcamera_disconnected disconnected = nullptr;
  void *context = nullptr;
  bool isRecording = false;
  /// The number of buffers that the camera accepts at once, those that it has, and those that wait for it to accept more.
  std::mutex queueLock;
  size_t queuedMax = 0;
  size_t queuedCount = 0;
  std::vector<uint32_t> waiting;

  void freeBuffers() {
    waiting.clear();
    queuedCount = 0;
    buffers.clear();
    pictures.clear();
    allocator.reset();
  }

  uint32_t add(const clibcamera_controls &values, ControlList &list) const;
  int allocateOwn(const StreamConfiguration &stream, int heap, size_t count, std::vector<FrameBuffer *> &made);
  int map(Buffer &buffer);
  int queue(uint32_t number);
  void complete(Request *request);
};

int clibcamera_version(char *version, size_t size) {
  const std::string &text = CameraManager::version();
  if (text.size() >= size) return -ENOSPC;
  std::memcpy(version, text.c_str(), text.size() + 1);
  return 0;
}

// MARK: Messages

namespace {

/// Receives the library's output, one message per call, from any of its threads.
class MessageBuffer : public std::streambuf {
 public:
  MessageBuffer(clibcamera_message receiver, void *context) : receiver(receiver), context(context) {}

 protected:
  std::streamsize xsputn(const char *text, std::streamsize count) override {
    const std::lock_guard<std::mutex> guard(lock);
    receiver(context, text, static_cast<size_t>(count));
    return count;
  }
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    const char byte = traits_type::to_char_type(character);
    xsputn(&byte, 1);
    return character;
  }

 private:
  std::mutex lock;
  clibcamera_message receiver;
  void *context;
};

}  // namespace

int clibcamera_route_messages(clibcamera_message receiver, void *context) {
  // Never freed: the library's threads may write until the very end of the process.
  auto *stream = new std::ostream(new MessageBuffer(receiver, context));
  return logSetStream(stream);
}

// MARK: Cameras

/// libcamera ends the process if a second manager is made; this flag prevents that.
static std::atomic_flag hasManager = ATOMIC_FLAG_INIT;

int clibcamera_manager_create(clibcamera_manager **manager) {
  if (hasManager.test_and_set()) return -EBUSY;
  auto made = std::make_unique<clibcamera_manager>();
  const int result = made->manager.start();
  if (result < 0) {
    hasManager.clear();
    return result;
  }
  *manager = made.release();
  return 0;
}

void clibcamera_manager_destroy(clibcamera_manager *manager) {
  if (!manager) return;
  manager->manager.stop();
  delete manager;
  hasManager.clear();
}

int clibcamera_list(clibcamera_manager *manager, clibcamera_description *descriptions, size_t capacity) {
  const auto cameras = manager->manager.cameras();
  for (size_t index = 0; index < cameras.size() && index < capacity; index++) {
    const ControlList &properties = cameras[index]->properties();
    copyText(descriptions[index].id, sizeof descriptions[index].id, cameras[index]->id());
    copyText(
        descriptions[index].model, sizeof descriptions[index].model,
        std::string(properties.get(properties::Model).value_or("")));
    descriptions[index].rotation = properties.get(properties::Rotation).value_or(0);
  }
  return static_cast<int>(cameras.size());
}

int clibcamera_open(clibcamera_manager *manager, const char *id, clibcamera_camera **camera) {
  std::shared_ptr<Camera> found = manager->manager.get(std::string(id));
  if (!found) return -ENODEV;
  const int result = found->acquire();
  if (result < 0) return result;
  auto made = std::make_unique<clibcamera_camera>();
  made->camera = std::move(found);
  *camera = made.release();
  return 0;
}

void clibcamera_close(clibcamera_camera *camera) {
  if (!camera) return;
  clibcamera_stop(camera);
  camera->freeBuffers();
  camera->configuration.reset();
  camera->camera->release();
  delete camera;
}

// MARK: Streams

static std::unique_ptr<CameraConfiguration> generate(clibcamera_camera *camera, size_t streamCount) {
  const std::vector<StreamRole> roles(streamCount, StreamRole::Viewfinder);
  return camera->camera->generateConfiguration(roles);
}

int clibcamera_list_formats(clibcamera_camera *camera, uint32_t *formats, size_t capacity) {
  const auto configuration = generate(camera, 1);
  if (!configuration || configuration->empty()) return 0;
  int count = 0;
  for (const PixelFormat &format : configuration->at(0).formats().pixelformats()) {
    // A modifier is a vendor's memory layout, such as tiles or compression.
    if (format.modifier() != 0) continue;
    if (static_cast<size_t>(count) < capacity) formats[count] = format.fourcc();
    count++;
  }
  return count;
}

int clibcamera_validate(clibcamera_camera *camera, clibcamera_stream *streams, size_t stream_count) {
  if (stream_count == 0 || stream_count > CLIBCAMERA_STREAM_COUNT_MAX) return -EINVAL;
  const auto configuration = generate(camera, stream_count);
  if (!configuration || configuration->size() != stream_count) return -EINVAL;
  return takeStreams(*configuration, streams, stream_count);
}

int clibcamera_configure(clibcamera_camera *camera, clibcamera_stream *streams, size_t stream_count) {
  if (stream_count == 0 || stream_count > CLIBCAMERA_STREAM_COUNT_MAX) return -EINVAL;
  if (camera->isRecording) return -EBUSY;
  auto configuration = generate(camera, stream_count);
  if (!configuration || configuration->size() != stream_count) return -EINVAL;
  int result = takeStreams(*configuration, streams, stream_count);
  if (result < 0) return result;
  camera->freeBuffers();
  result = camera->camera->configure(configuration.get());
  if (result < 0) return result;
  camera->configuration = std::move(configuration);
  // The driver decides.
  for (size_t index = 0; index < stream_count; index++) {
    streams[index].stride = camera->configuration->at(index).stride;
    streams[index].byte_count = camera->configuration->at(index).frameSize;
  }
  return 0;
}

// MARK: Controls

uint32_t clibcamera_supported_controls(clibcamera_camera *camera) {
  const ControlInfoMap &known = camera->camera->controls();
  uint32_t bits = 0;
  if (lists(known, controls::EXPOSURE_TIME)) bits |= CLIBCAMERA_EXPOSURE;
  if (lists(known, controls::ANALOGUE_GAIN)) bits |= CLIBCAMERA_GAIN;
  if (lists(known, controls::FRAME_DURATION_LIMITS)) bits |= CLIBCAMERA_FRAME_DURATION;
  if (lists(known, controls::AF_MODE)) bits |= CLIBCAMERA_AF_MODE;
  if (lists(known, controls::AF_RANGE)) bits |= CLIBCAMERA_AF_RANGE;
  if (lists(known, controls::LENS_POSITION)) bits |= CLIBCAMERA_LENS_POSITION;
  if (lists(known, controls::SCALER_CROP)) bits |= CLIBCAMERA_CROP;
  if (hasAutomatic(known)) bits |= CLIBCAMERA_AUTO_EXPOSURE;
  if (lists(known, controls::AF_WINDOWS) && lists(known, controls::AF_METERING)) bits |= CLIBCAMERA_AF_WINDOW;
  return bits;
}

/// The limits of a control; false if the camera lacks it or its limits make no range.
template <typename Value>
static bool readLimits(const ControlInfoMap &known, const Control<Value> &control, Value &least, Value &most) {
  const auto found = known.find(control.id());
  if (found == known.end()) return false;
  const ControlValue &low = found->second.min(), &high = found->second.max();
  if (low.isNone() || high.isNone()) return false;
  least = low.get<Value>();
  most = high.get<Value>();
  return least <= most;
}

clibcamera_limits clibcamera_control_limits(clibcamera_camera *camera) {
  const ControlInfoMap &known = camera->camera->controls();
  clibcamera_limits limits = {};
  if (readLimits(known, controls::ExposureTime, limits.exposure_min_us, limits.exposure_max_us))
    limits.present |= CLIBCAMERA_EXPOSURE;
  if (readLimits(known, controls::AnalogueGain, limits.gain_min, limits.gain_max)) limits.present |= CLIBCAMERA_GAIN;
  if (readLimits(known, controls::LensPosition, limits.lens_min, limits.lens_max))
    limits.present |= CLIBCAMERA_LENS_POSITION;
  const auto duration = known.find(controls::FRAME_DURATION_LIMITS);
  if (duration != known.end() && !duration->second.min().isNone() && !duration->second.min().isArray()) {
    limits.frame_duration_min_us = duration->second.min().get<int64_t>();
    limits.frame_duration_max_us = duration->second.max().get<int64_t>();
    limits.present |= CLIBCAMERA_FRAME_DURATION;
  }
  return limits;
}

uint32_t clibcamera_camera::add(const clibcamera_controls &values, ControlList &list) const {
  const ControlInfoMap &known = camera->controls();
  const uint32_t bits =
      values.present & clibcamera_supported_controls(const_cast<clibcamera_camera *>(this));
  if (bits & CLIBCAMERA_AUTO_EXPOSURE) setAutomatic(list, known);
  setManual(list, known, bits & CLIBCAMERA_EXPOSURE, bits & CLIBCAMERA_GAIN);
  if (bits & CLIBCAMERA_EXPOSURE) list.set(controls::ExposureTime, values.exposure_us);
  if (bits & CLIBCAMERA_GAIN) list.set(controls::AnalogueGain, values.gain);
  if (bits & CLIBCAMERA_FRAME_DURATION) {
    const std::array<int64_t, 2> limits = {values.frame_duration_min_us, values.frame_duration_max_us};
    list.set(controls::FrameDurationLimits, Span<const int64_t, 2>(limits));
  }
  if (bits & CLIBCAMERA_AF_MODE) list.set(controls::AfMode, values.af_mode);
  if (bits & CLIBCAMERA_AF_RANGE) list.set(controls::AfRange, values.af_range);
  if (bits & CLIBCAMERA_LENS_POSITION) list.set(controls::LensPosition, values.lens_position);
  if (bits & CLIBCAMERA_CROP) {
    const clibcamera_rectangle &crop = values.crop;
    list.set(controls::ScalerCrop, Rectangle(crop.x, crop.y, crop.width, crop.height));
  }
  if (bits & CLIBCAMERA_AF_WINDOW) {
    const clibcamera_rectangle &place = values.af_window;
    const std::array<Rectangle, 1> windows = {Rectangle(place.x, place.y, place.width, place.height)};
    list.set(controls::AfMetering, controls::AfMeteringWindows);
    list.set(controls::AfWindows, Span<const Rectangle>(windows));
  }
  return bits;
}

uint32_t clibcamera_set_controls(clibcamera_camera *camera, const clibcamera_controls *values) {
  const std::lock_guard<std::mutex> guard(camera->wishLock);
  ControlList list(camera->camera->controls());
  const uint32_t bits = camera->add(*values, list);
  // A newer request replaces one that no frame request has carried yet.
  if (!camera->wishes.infoMap()) camera->wishes = ControlList(camera->camera->controls());
  for (const auto &control : list) camera->wishes.set(control.first, control.second);
  return bits;
}

// MARK: Buffers

int clibcamera_camera::allocateOwn(
    const StreamConfiguration &stream, int heap, size_t count, std::vector<FrameBuffer *> &made) {
  for (size_t index = 0; index < count; index++) {
    const int descriptor = allocateFromHeap(heap, stream.frameSize);
    if (descriptor < 0) return descriptor;
    UniqueFD unique(descriptor);
    const SharedFD fd(std::move(unique));
    pictures.push_back(std::make_unique<FrameBuffer>(planesOf(stream, fd)));
    made.push_back(pictures.back().get());
  }
  return 0;
}

/// Maps every memory block of a buffer once and records where its planes are.
int clibcamera_camera::map(Buffer &buffer) {
  std::map<int, const Mapping *> mapped;
  buffer.frame.stream_count = static_cast<uint32_t>(buffer.pictures.size());
  for (size_t stream = 0; stream < buffer.pictures.size(); stream++) {
    const auto &planes = buffer.pictures[stream]->planes();
    const size_t count = std::min<size_t>(planes.size(), CLIBCAMERA_PLANE_COUNT_MAX);
    buffer.frame.plane_counts[stream] = static_cast<uint32_t>(count);
    for (size_t index = 0; index < count; index++) {
      const int fd = planes[index].fd.get();
      const Mapping *&mapping = mapped[fd];
      if (!mapping) {
        buffer.mappings.push_back(std::make_unique<Mapping>(fd));
        mapping = buffer.mappings.back().get();
        if (mapping->address == MAP_FAILED) return errno ? -errno : -EINVAL;
      }
      const size_t offset =
          planes[index].offset == FrameBuffer::Plane::kInvalidOffset ? 0 : planes[index].offset;
      if (offset > mapping->byteCount || planes[index].length > mapping->byteCount - offset) return -EOVERFLOW;
      buffer.frame.planes[stream][index] = {
          static_cast<const uint8_t *>(mapping->address) + offset, planes[index].length, 0, fd,
          static_cast<uint32_t>(offset)};
    }
  }
  return 0;
}

int clibcamera_allocate(clibcamera_camera *camera, const char *heap, uint32_t buffer_count) {
  if (!camera->configuration) return -EINVAL;
  if (camera->isRecording) return -EBUSY;
  camera->freeBuffers();
  int device = -1;
  if (heap) {
    device = open(heap, O_RDWR | O_CLOEXEC);
    if (device < 0) return -errno;
  } else {
    camera->allocator = std::make_unique<FrameBufferAllocator>(camera->camera);
  }
  const size_t streamCount = camera->configuration->size();
  size_t count = CLIBCAMERA_BUFFER_COUNT_MAX;
  for (const StreamConfiguration &stream : *camera->configuration) count = std::min<size_t>(count, stream.bufferCount);
  camera->queuedMax = count;
  // There may be more of the station's own buffers than the camera accepts at once.
  if (heap) count = std::max(count, std::min<size_t>(buffer_count, CLIBCAMERA_BUFFER_COUNT_MAX));
  std::vector<std::vector<FrameBuffer *>> made(streamCount);
  int result = 0;
  for (size_t index = 0; index < streamCount && result >= 0; index++) {
    const StreamConfiguration &stream = camera->configuration->at(index);
    if (heap) {
      result = camera->allocateOwn(stream, device, count, made[index]);
    } else {
      result = camera->allocator->allocate(stream.stream());
      if (result < 0) break;
      for (const auto &picture : camera->allocator->buffers(stream.stream())) made[index].push_back(picture.get());
      count = std::min(count, made[index].size());
    }
  }
  if (device >= 0) close(device);
  camera->buffers.resize(result < 0 ? 0 : count);
  for (size_t number = 0; number < camera->buffers.size() && result >= 0; number++) {
    Buffer &buffer = camera->buffers[number];
    for (size_t index = 0; index < streamCount; index++) buffer.pictures.push_back(made[index][number]);
    buffer.frame.buffer = static_cast<uint32_t>(number);
    result = camera->map(buffer);
  }
  if (result < 0) camera->freeBuffers();
  return result < 0 ? result : static_cast<int>(camera->buffers.size());
}

// MARK: Recording

void clibcamera_camera::complete(Request *request) {
  Buffer &buffer = buffers[request->cookie()];
  clibcamera_frame &frame = buffer.frame;
  const libcamera::FrameMetadata &first = buffer.pictures[0]->metadata();
  if (request->status() == Request::RequestCancelled || first.status == libcamera::FrameMetadata::FrameCancelled)
    frame.status = -ECANCELED;
  else if (isStartup(first))
    frame.status = -EAGAIN;
  else
    frame.status = first.status == libcamera::FrameMetadata::FrameSuccess ? 0 : -EIO;
  frame.sequence = first.sequence;
  frame.controls = readBack(request->metadata());
  frame.timestamp_ns = static_cast<uint64_t>(
      request->metadata().get(controls::SensorTimestamp).value_or(static_cast<int64_t>(first.timestamp)));
  for (size_t stream = 0; stream < buffer.pictures.size(); stream++) {
    const auto written = buffer.pictures[stream]->metadata().planes();
    for (uint32_t index = 0; index < frame.plane_counts[stream]; index++) {
      clibcamera_plane &plane = frame.planes[stream][index];
      plane.used_byte_count = index < written.size() ? std::min<size_t>(written[index].bytesused, plane.byte_count) : 0;
    }
  }
  uint32_t next = CLIBCAMERA_BUFFER_COUNT_MAX;
  {
    const std::lock_guard<std::mutex> guard(queueLock);
    queuedCount--;
    if (frame.status != -ECANCELED && !waiting.empty()) {
      next = waiting.front();
      waiting.erase(waiting.begin());
      queuedCount++;
    }
  }
  if (next < buffers.size()) queue(next);
  completed(context, &frame);
}

/// Gives the camera a buffer that was already counted.
int clibcamera_camera::queue(uint32_t number) {
  Request *request = buffers[number].request.get();
  const int result = camera->queueRequest(request);
  if (result < 0) {
    const std::lock_guard<std::mutex> guard(queueLock);
    queuedCount--;
  }
  return result;
}

int clibcamera_start(
    clibcamera_camera *camera, const clibcamera_controls *controls, clibcamera_completed completed,
    clibcamera_disconnected disconnected, void *context) {
  if (camera->buffers.empty() || camera->isRecording) return -EINVAL;
  for (size_t number = 0; number < camera->buffers.size(); number++) {
    Buffer &buffer = camera->buffers[number];
    buffer.request = camera->camera->createRequest(number);
    if (!buffer.request) return -ENOMEM;
    for (size_t index = 0; index < buffer.pictures.size(); index++) {
      const int result = buffer.request->addBuffer(camera->configuration->at(index).stream(), buffer.pictures[index]);
      if (result < 0) return result;
    }
  }
  camera->completed = completed;
  camera->disconnected = disconnected;
  camera->context = context;
  camera->camera->requestCompleted.connect(camera, [camera](Request *request) { camera->complete(request); });
  camera->camera->disconnected.connect(camera, [camera]() { camera->disconnected(camera->context); });
  ControlList list(camera->camera->controls());
  camera->add(*controls, list);
  int result = camera->camera->start(&list);
  camera->isRecording = result >= 0;
  {
    const std::lock_guard<std::mutex> guard(camera->queueLock);
    camera->queuedCount = std::min(camera->queuedMax, camera->buffers.size());
    camera->waiting.reserve(CLIBCAMERA_BUFFER_COUNT_MAX);
    for (size_t number = camera->queuedCount; number < camera->buffers.size(); number++)
      camera->waiting.push_back(static_cast<uint32_t>(number));
  }
  for (size_t number = 0; number < std::min(camera->queuedMax, camera->buffers.size()) && result >= 0; number++)
    result = camera->queue(static_cast<uint32_t>(number));
  if (result < 0) clibcamera_stop(camera);
  return result < 0 ? result : 0;
}

int clibcamera_stop(clibcamera_camera *camera) {
  int result = 0;
  if (camera->isRecording) result = camera->camera->stop();
  camera->isRecording = false;
  camera->camera->requestCompleted.disconnect(camera);
  camera->camera->disconnected.disconnect(camera);
  camera->freeBuffers();
  return result;
}

int clibcamera_queue(clibcamera_camera *camera, uint32_t buffer) {
  if (buffer >= camera->buffers.size()) return -EINVAL;
  Request *request = camera->buffers[buffer].request.get();
  request->reuse(Request::ReuseBuffers);
  {
    const std::lock_guard<std::mutex> guard(camera->wishLock);
    if (camera->wishes.infoMap() && !camera->wishes.empty()) {
      request->controls().merge(camera->wishes);
      camera->wishes.clear();
    }
  }
  {
    const std::lock_guard<std::mutex> guard(camera->queueLock);
    if (camera->queuedCount >= camera->queuedMax) {
      camera->waiting.push_back(buffer);
      return 0;
    }
    camera->queuedCount++;
  }
  return camera->queue(buffer);
}

static int synchronise(clibcamera_camera *camera, uint32_t buffer, uint64_t flags) {
  if (buffer >= camera->buffers.size()) return -EINVAL;
  for (const auto &mapping : camera->buffers[buffer].mappings) {
    const int result = mapping->sync(flags);
    if (result < 0) return result;
  }
  return 0;
}

int clibcamera_begin_read(clibcamera_camera *camera, uint32_t buffer) {
  return synchronise(camera, buffer, DMA_BUF_SYNC_START);
}

int clibcamera_end_read(clibcamera_camera *camera, uint32_t buffer) {
  return synchronise(camera, buffer, DMA_BUF_SYNC_END);
}
