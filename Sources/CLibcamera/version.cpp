#include "CLibcamera.h"

#include <cerrno>
#include <cstring>
#include <libcamera/camera_manager.h>

int clibcamera_version(char *version, size_t size) {
  const std::string &text = libcamera::CameraManager::version();
  if (text.size() >= size) return -ENOSPC;
  std::memcpy(version, text.c_str(), text.size() + 1);
  return 0;
}
