// Reads the barcodes in a PGM picture of 8-bit grey: example PICTURE.pgm

#include <reticle.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what, reticle_status status) {
  fprintf(stderr, "%s: %s\n", what, reticle_status_text(status));
  return EXIT_FAILURE;
}

static void print_corners(const reticle_point *corners) {
  for (int i = 0; i < 4; i++) printf(" (%.1f, %.1f)", corners[i].x, corners[i].y);
  printf("\n");
}

int main(int argc, char **argv) {
  if (reticle_abi_version() != RETICLE_ABI_VERSION) {
    fprintf(stderr, "libreticle %s has another ABI than its header: compile this program again\n", reticle_version());
    return EXIT_FAILURE;
  }
  size_t width, height;
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file || fscanf(file, "P5 %zu %zu 255", &width, &height) != 2 || fgetc(file) == EOF || width == 0 || height == 0 ||
      width > RETICLE_SIDE_MAX || height > RETICLE_SIDE_MAX) {
    fprintf(stderr, "usage: example PICTURE.pgm\n");
    return EXIT_FAILURE;
  }
  size_t memory_size = reticle_workspace_size(width * height);
  uint8_t *luma = malloc(width * height);
  void *memory = malloc(memory_size);
  if (!luma || !memory || fread(luma, width, height, file) != height) {
    fprintf(stderr, "example: %s is too large or too short\n", argv[1]);
    return EXIT_FAILURE;
  }
  fclose(file);

  // One workspace serves any number of pictures up to this size, one after another.
  reticle_workspace *workspace;
  reticle_status status = reticle_workspace_make(memory, memory_size, width * height, &workspace);
  if (status != RETICLE_OK) return fail("workspace", status);

  reticle_settings settings;
  reticle_settings_init(&settings, sizeof settings);
  settings.add_ons = RETICLE_ADD_ONS_READ;
  settings.symbologies |= RETICLE_BIT(RETICLE_HANXIN);

  reticle_outcome outcome;
  status = reticle_decode(workspace, luma, width, height, width, NULL, &settings, &outcome, sizeof outcome);
  if (status != RETICLE_OK) return fail("decode", status);

  for (size_t i = 0; i < outcome.symbol_count; i++) {
    reticle_symbol symbol;
    reticle_get_symbol(workspace, i, &symbol, sizeof symbol);
    reticle_text text;
    reticle_get_text(workspace, i, NULL, 0, &text, sizeof text);
    char *buffer = malloc(text.needed_byte_count);
    status = reticle_get_text(workspace, i, buffer, buffer ? text.needed_byte_count : 0, &text, sizeof text);
    if (status != RETICLE_OK) return fail("text", status);
    printf("%s %s ", reticle_symbology_name(symbol.symbology), symbol.aim);
    fwrite(text.text, 1, text.text_byte_count, stdout);
    if (text.hri) printf(" %s", text.hri);
    print_corners(symbol.corners);
    free(buffer);
  }
  for (size_t i = 0; i < outcome.located_count; i++) {
    reticle_located located;
    reticle_get_located(workspace, i, &located, sizeof located);
    const char *name = reticle_symbology_name(located.symbology);
    printf("not read: %s, modules of %.1f pixels", name ? name : "bars", located.module);
    print_corners(located.corners);
  }
  free(memory);
  free(luma);
  return outcome.symbol_count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
