// A thousand threads, each with a workspace of its own, read the same pictures at once and must all say the same.
// usage: threads COUNT FILE.pgm...

#include <pthread.h>
#include <reticle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { picture_count_max = 8, answer_byte_count = 65536, stack_byte_count = 512 << 10 };

static struct {
  uint8_t *luma;
  size_t width, height;
} pictures[picture_count_max];
static int picture_count;
static pthread_barrier_t start;

static void give_up(const char *what, reticle_status status) {
  fprintf(stderr, "threads: %s: %s\n", what, reticle_status_text(status));
  exit(2);
}

/// Reads all pictures into one text; returns its length.
static size_t read_all(char *answer, void *memory, size_t memory_size, size_t pixel_count) {
  reticle_workspace *workspace;
  reticle_status status = reticle_workspace_make(memory, memory_size, pixel_count, &workspace);
  if (status) give_up("workspace", status);
  size_t length = 0;
  for (int i = 0; i < picture_count; i++) {
    reticle_outcome outcome;
    status = reticle_decode(
        workspace, pictures[i].luma, pictures[i].width, pictures[i].height, pictures[i].width, NULL, NULL, &outcome,
        sizeof outcome);
    if (status) give_up("decode", status);
    for (size_t s = 0; s < outcome.symbol_count; s++) {
      reticle_text text;
      status = reticle_get_text(workspace, s, answer + length, answer_byte_count - length, &text, sizeof text);
      if (status) give_up("text", status);
      length += text.text_byte_count + 1 + text.hri_byte_count;
    }
  }
  return length;
}

static size_t pixel_count_most(void) {
  size_t most = 0;
  for (int i = 0; i < picture_count; i++) {
    size_t count = pictures[i].width * pictures[i].height;
    if (count > most) most = count;
  }
  return most;
}

/// The texts of all pictures as one number, read in new memory.
static uint64_t digest(void) {
  size_t pixel_count = pixel_count_most(), size = reticle_workspace_size(pixel_count);
  void *memory = malloc(size);
  char *answer = calloc(1, answer_byte_count);
  if (!memory || !answer) exit(2);
  size_t length = read_all(answer, memory, size, pixel_count);
  uint64_t digest = length;
  for (size_t i = 0; i < length; i++) digest = (digest ^ (unsigned char)answer[i]) * UINT64_C(0x100000001b3);
  free(answer);
  free(memory);
  return digest;
}

static void *read_in_thread(void *result) {
  pthread_barrier_wait(&start);
  *(uint64_t *)result = digest();
  return NULL;
}

int main(int argc, char **argv) {
  int count = argc > 2 ? atoi(argv[1]) : 0;
  if (count < 1 || argc - 2 > picture_count_max) return 64;
  for (int i = 2; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    size_t width, height;
    if (!file || fscanf(file, "P5 %zu %zu 255", &width, &height) != 2 || fgetc(file) == EOF) return 66;
    uint8_t *luma = malloc(width * height);
    if (!luma || fread(luma, width, height, file) != height) return 66;
    fclose(file);
    pictures[picture_count].luma = luma;
    pictures[picture_count].width = width;
    pictures[picture_count++].height = height;
  }
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  uint64_t *digests = calloc((size_t)count, sizeof *digests);
  pthread_attr_t attributes;
  if (!threads || !digests || pthread_attr_init(&attributes)) return 71;
  pthread_attr_setstacksize(&attributes, stack_byte_count);
  pthread_barrier_init(&start, NULL, (unsigned)count);
  // No text was made before: all threads want the library's tables at the same time.
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], &attributes, read_in_thread, &digests[i])) return 71;
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  uint64_t expected = digest();
  int different = 0;
  for (int i = 0; i < count; i++) different += digests[i] != expected;
  printf("%d threads, %d different\n", count, different);
  free(threads);
  free(digests);
  for (int i = 0; i < picture_count; i++) free(pictures[i].luma);
  return different > 0;
}
