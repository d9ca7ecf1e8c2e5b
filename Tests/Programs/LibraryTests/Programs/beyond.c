// Says that a picture is one row higher than it is: AddressSanitizer must see that the decoder reads beyond it.

#include <reticle.h>
#include <stdlib.h>

int main(void) {
  const size_t side = 64;
  unsigned char *luma = malloc(side * side);
  if (!luma) return 2;
  for (size_t i = 0; i < side * side; i++) luma[i] = i % 8 < 4 ? 0 : 255;
  const size_t pixel_count = side * (side + 1), size = reticle_workspace_size(pixel_count);
  void *memory = malloc(size);
  reticle_workspace *workspace = NULL;
  if (!memory || reticle_workspace_make(memory, size, pixel_count, &workspace) != RETICLE_OK) return 2;
  reticle_decode(workspace, luma, side, side + 1, side, NULL, NULL, NULL, 0);
  return 0;
}
