// Decodes PGM files with the decoder alone and prints the results, one line per symbol, so that two machines can be compared.
// usage: gate frame|still|frame-all REPEATS FILE.pgm...     Each picture is decoded REPEATS times and reported once; frame-all has
// every symbology on.

#include <inttypes.h>
#include <reticle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(reticle_status status) {
  if (status == RETICLE_OK) return;
  fprintf(stderr, "gate: %s\n", reticle_status_text(status));
  exit(2);
}

static void print_symbol(const reticle_workspace *workspace, size_t index) {
  reticle_symbol symbol;
  check(reticle_get_symbol(workspace, index, &symbol, sizeof symbol));
  printf("  %s %s ", reticle_symbology_name(symbol.symbology), symbol.aim);
  for (size_t i = 0; i < symbol.byte_count; i++) printf("%02x", symbol.bytes[i]);
  for (uint32_t i = 0; i < symbol.segment_count; i++) {
    reticle_segment segment;
    check(reticle_get_segment(workspace, index, i, &segment, sizeof segment));
    printf(" %zu:%" PRId32, segment.byte_offset, segment.eci);
  }
  // Multiples of 1/65536 of a pixel.
  for (int i = 0; i < 4; i++) printf(" %.0f %.0f", symbol.corners[i].x * 65536, symbol.corners[i].y * 65536);
  printf("\n");
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: gate frame|still|frame-all REPEATS FILE.pgm...\n"), 64;
  reticle_settings settings;
  check(reticle_settings_init(&settings, sizeof settings));
  settings.effort = strcmp(argv[1], "still") == 0 ? RETICLE_STILL : RETICLE_FRAME;
  if (strcmp(argv[1], "frame-all") == 0) settings.symbologies = reticle_symbologies();
  settings.add_ons = RETICLE_ADD_ONS_READ;
  int repeats = atoi(argv[2]);
  for (int i = 3; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    size_t width, height;
    if (!file || fscanf(file, "P5 %zu %zu 255", &width, &height) != 2 || fgetc(file) == EOF)
      return fprintf(stderr, "gate: %s is not a PGM file of this kind\n", argv[i]), 2;
    uint8_t *luma = malloc(width * height);
    if (!luma || fread(luma, width, height, file) != height)
      return fprintf(stderr, "gate: %s is cut short\n", argv[i]), 2;
    fclose(file);
    size_t memory_size = reticle_workspace_size(width * height);
    void *memory = malloc(memory_size);
    const char *name = strrchr(argv[i], '/');
    printf("%s\n", name ? name + 1 : argv[i]);
    reticle_outcome outcome;
    for (int r = 0; r < repeats; r++) {
      // New memory each time, so that frames are no sequence.
      reticle_workspace *workspace;
      check(reticle_workspace_make(memory, memory_size, width * height, &workspace));
      check(reticle_decode(workspace, luma, width, height, width, NULL, &settings, &outcome, sizeof outcome));
      for (size_t s = 0; r == 0 && s < outcome.symbol_count; s++) print_symbol(workspace, s);
    }
    printf("  %" PRId64 " units\n", outcome.work_units);
    free(memory);
    free(luma);
  }
}
