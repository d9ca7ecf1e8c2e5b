// Answers for PGM pictures by libreticle, in the form of `reticle scan --format json` but for names and times.
// usage: answers [--frames] [--add-ons] [--all] FILE.pgm...   The pictures of --frames are one sequence.

#include <inttypes.h>
#include <reticle.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(reticle_status status, const char *what) {
  if (status == RETICLE_OK) return;
  fprintf(stderr, "answers: %s: %s\n", what, reticle_status_text(status));
  exit(2);
}

static void *need(void *memory) {
  if (memory) return memory;
  fprintf(stderr, "answers: memory is not available\n");
  exit(2);
}

static void print_text(const char *text, size_t byte_count) {
  putchar('"');
  for (size_t i = 0; i < byte_count; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte == '"' || byte == '\\')
      printf("\\%c", byte);
    else if (byte < 0x20)
      printf("\\u%04x", byte);
    else
      putchar(byte);
  }
  putchar('"');
}

/// A coordinate with at most two decimals, rounded to the nearest: what `reticle scan` writes.
static void print_coordinate(double value) {
  int64_t bits = (int64_t)(value * 65536);
  int64_t hundredths = (bits * 100 + (1 << 15)) >> 16;
  int64_t size = hundredths < 0 ? -hundredths : hundredths;
  printf("%s%" PRId64, hundredths < 0 ? "-" : "", size / 100);
  if (size % 100 == 0) return;
  if (size % 10 == 0)
    printf(".%" PRId64, size % 100 / 10);
  else
    printf(".%02" PRId64, size % 100);
}

static void print_symbol(const reticle_workspace *workspace, size_t index) {
  reticle_symbol symbol;
  check(reticle_get_symbol(workspace, index, &symbol, sizeof symbol), "symbol");
  reticle_text text;
  memset(&text, 0, sizeof text);
  if (reticle_get_text(workspace, index, NULL, 0, &text, sizeof text) != RETICLE_BUFFER_TOO_SMALL) exit(2);
  char *buffer = need(malloc(text.needed_byte_count));
  check(reticle_get_text(workspace, index, buffer, text.needed_byte_count, &text, sizeof text), "text");
  if (text.text[text.text_byte_count] != 0 || (text.hri && text.hri[text.hri_byte_count] != 0)) exit(2);
  printf("{\"symbology\":\"%s\",\"aim\":\"%s\",\"text\":", reticle_symbology_name(symbol.symbology), symbol.aim);
  print_text(text.text, text.text_byte_count);
  if (symbol.flags & RETICLE_SYMBOL_COMPONENT_UNREAD) printf(",\"component\":\"unread\"");
  if (text.hri) {
    printf(",\"hri\":");
    print_text(text.hri, text.hri_byte_count);
  }
  if (text.flags & RETICLE_TEXT_LINK) printf(",\"link\":true");
  printf(",\"bytes_hex\":\"");
  for (size_t i = 0; i < symbol.byte_count; i++) printf("%02x", symbol.bytes[i]);
  printf("\"");
  if (symbol.flags & RETICLE_SYMBOL_PART) {
    printf(",\"part\":{\"id\":\"%" PRIu64 "\",\"position\":%" PRId32, symbol.part_id, symbol.part_index + 1);
    if (symbol.part_count > 0) printf(",\"total\":%" PRId32, symbol.part_count);
    printf("}");
  }
  printf(",\"corners\":[");
  for (int i = 0; i < 4; i++) {
    printf(i ? ",[" : "[");
    print_coordinate(symbol.corners[i].x);
    printf(",");
    print_coordinate(symbol.corners[i].y);
    printf("]");
  }
  printf("]}");
  free(buffer);
}

int main(int argc, char **argv) {
  reticle_settings settings;
  check(reticle_settings_init(&settings, sizeof settings), "settings");
  bool is_sequence = false;
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; first++) {
    if (strcmp(argv[first], "--frames") == 0)
      is_sequence = true, settings.effort = RETICLE_FRAME;
    else if (strcmp(argv[first], "--add-ons") == 0)
      settings.add_ons = RETICLE_ADD_ONS_READ;
    else if (strcmp(argv[first], "--all") == 0)
      settings.symbologies = reticle_symbologies();
    else
      return fprintf(stderr, "usage: answers [--frames] [--add-ons] [--all] FILE.pgm...\n"), 64;
  }
  reticle_workspace *workspace = NULL;
  void *memory = NULL;
  size_t pixel_count = 0;
  // The command's first workspace; one for a larger picture has seen nothing.
  size_t pixel_count_least = 1920 * 1080;
  for (int i = first; i < argc; i++) {
    size_t width, height;
    FILE *file = fopen(argv[i], "rb");
    if (!file || fscanf(file, "P5 %zu %zu 255", &width, &height) != 2 || fgetc(file) == EOF)
      return fprintf(stderr, "answers: %s is not a PGM file of this kind\n", argv[i]), 2;
    // The picture ends where its memory ends, so that a read beyond it is found.
    uint8_t *luma = need(malloc(width * height));
    if (fread(luma, width, height, file) != height) return fprintf(stderr, "answers: %s is cut short\n", argv[i]), 2;
    fclose(file);
    if (width * height > pixel_count) {
      free(memory);
      pixel_count = width * height > pixel_count_least ? width * height : pixel_count_least;
      memory = need(malloc(reticle_workspace_size(pixel_count)));
      // Earlier contents of the memory show in no answer.
      memset(memory, 0xA5, reticle_workspace_size(pixel_count));
      check(
          reticle_workspace_make(memory, reticle_workspace_size(pixel_count), pixel_count, &workspace), "workspace");
    }
    if (!is_sequence) check(reticle_begin_sequence(workspace), "sequence");
    reticle_outcome outcome;
    check(
        reticle_decode(workspace, luma, width, height, width, NULL, &settings, &outcome, sizeof outcome), argv[i]);
    printf("{\"width\":%zu,\"height\":%zu,\"codes\":[", width, height);
    for (size_t s = 0; s < outcome.symbol_count; s++) {
      if (s) printf(",");
      print_symbol(workspace, s);
    }
    printf("]}\n");
    free(luma);
  }
  free(memory);
}
