// Decodes PGM files with the decoder alone and prints the results, one line per symbol, so that two machines can be compared.
// usage: gate frame|still REPEATS FILE.pgm...     Each picture is decoded REPEATS times and reported once.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void emit_function(const uint8_t *, uint8_t, const uint8_t *, long, const int32_t *);
long gate_memory_byte_count(long pixel_count);
long gate_decode(const uint8_t *, long width, long height, bool is_still, void *memory, long byte_count, emit_function *);

static void print_symbol(
    const uint8_t *symbology, uint8_t modifier, const uint8_t *payload, long byte_count, const int32_t *corners) {
  printf("  %s %c ", (const char *)symbology, modifier);
  for (long i = 0; i < byte_count; i++) printf("%02x", payload[i]);
  for (int i = 0; i < 8; i++) printf(" %d", corners[i]);
  printf("\n");
}

static void ignore_symbol(
    const uint8_t *symbology, uint8_t modifier, const uint8_t *payload, long byte_count, const int32_t *corners) {
  (void)symbology, (void)modifier, (void)payload, (void)byte_count, (void)corners;
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: gate frame|still REPEATS FILE.pgm...\n"), 64;
  bool is_still = strcmp(argv[1], "still") == 0;
  int repeats = atoi(argv[2]);
  for (int i = 3; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    long width, height;
    if (!file || fscanf(file, "P5 %ld %ld 255", &width, &height) != 2 || fgetc(file) == EOF)
      return fprintf(stderr, "gate: %s is not a PGM file of this kind\n", argv[i]), 2;
    uint8_t *luma = malloc(width * height);
    if (fread(luma, 1, width * height, file) != (size_t)(width * height))
      return fprintf(stderr, "gate: %s is cut short\n", argv[i]), 2;
    fclose(file);
    long byte_count = gate_memory_byte_count(width * height);
    void *memory = aligned_alloc(64, (byte_count + 63) / 64 * 64);
    const char *name = strrchr(argv[i], '/');
    printf("%s\n", name ? name + 1 : argv[i]);
    long units = 0;
    for (int r = 0; r < repeats; r++)
      units = gate_decode(luma, width, height, is_still, memory, byte_count, r ? ignore_symbol : print_symbol);
    printf("  %ld units\n", units);
    free(memory);
    free(luma);
  }
}
