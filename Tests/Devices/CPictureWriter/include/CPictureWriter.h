// Makes JPEG and WebP files for tests, in the variants written by cameras and programs, and lets a test running as root
// encounter unreadable files.

#ifndef CPICTUREWRITER_H
#define CPICTUREWRITER_H

#include <stddef.h>
#include <stdint.h>

/// Makes a JPEG of 8-bit samples without gaps: grey (1 channel), RGB stored as YCbCr (3) or CMYK as stored by Adobe (4). The
/// file is allocated with malloc. Returns its length, or 0 if it cannot be made.
size_t cpicturewriter_jpeg(
  const uint8_t *pixels, int width, int height, int channels, int quality, int is_progressive, uint8_t **file);

/// Like `cpicturewriter_jpeg`; for RGB, stores one colour value per `wide` × `tall` pixels: 2 × 2 in the function above, 2 ×
/// 1 in most cameras.
size_t cpicturewriter_camera_jpeg(
  const uint8_t *pixels, int width, int height, int channels, int quality, int is_progressive, int wide, int tall,
  uint8_t **file);

/// Makes a WebP of 8-bit RGBA samples without gaps. The file is allocated with malloc. Returns its length, or 0 if it cannot
/// be made.
size_t cpicturewriter_webp(const uint8_t *rgba, int width, int height, int quality, int is_lossless, uint8_t **file);

/// From now on, opens files with the rights of a user, only in this thread (setfsuid); no effect unless called by root.
void cpicturewriter_use_files_as(unsigned user);

#endif
