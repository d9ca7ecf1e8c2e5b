// Makes JPEG and WebP files for tests, in the variants that cameras and programs write; and lets a test that runs as root
// meet files that it may not read.

#ifndef CPICTUREWRITER_H
#define CPICTUREWRITER_H

#include <stddef.h>
#include <stdint.h>

/// A JPEG of 8-bit samples without gaps: grey (1 channel), RGB stored as YCbCr (3) or CMYK as Adobe stores it (4). The file is
/// in memory from malloc. Returns its length, 0 if it cannot be made.
size_t cpicturewriter_jpeg(
  const uint8_t *pixels, int width, int height, int channels, int quality, int is_progressive, uint8_t **file);

/// The same; of RGB, a value of colour is stored for `wide` × `tall` pixels: 2 × 2 above, 2 × 1 by most cameras.
size_t cpicturewriter_camera_jpeg(
  const uint8_t *pixels, int width, int height, int channels, int quality, int is_progressive, int wide, int tall,
  uint8_t **file);

/// A WebP of 8-bit RGBA samples without gaps. The file is in memory from malloc. Returns its length, 0 if it cannot be made.
size_t cpicturewriter_webp(const uint8_t *rgba, int width, int height, int quality, int is_lossless, uint8_t **file);

/// Opens files with the rights of a user from now on, in this thread alone (setfsuid); without effect unless root calls it.
void cpicturewriter_use_files_as(unsigned user);

#endif
