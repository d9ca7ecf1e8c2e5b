// The memory and the stack that libreticle takes of the process: none to decode, and all of it given back after a text but for the
// tables that the first texts make. Linked with --wrap for malloc, posix_memalign and free.
// usage: memory FILE.pgm...      Prints the most bytes that texts took, those of the tables, and the stack of a thread.

#include <malloc.h>
#include <pthread.h>
#include <reticle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { stack_byte_count = 8 << 20, fill = 0xA5, room_byte_count = 2 << 20 };

static long in_use, most, calls;
static void *room;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size) {
  void *block = __real_malloc(size);
  calls++;
  // The library's own test for room, which takes more than any text.
  if (size == room_byte_count) return room = block;
  in_use += (long)malloc_usable_size(block);
  if (in_use > most) most = in_use;
  return block;
}

int __real_posix_memalign(void **place, size_t alignment, size_t size);
int __wrap_posix_memalign(void **place, size_t alignment, size_t size) {
  int result = __real_posix_memalign(place, alignment, size);
  calls++;
  in_use += (long)malloc_usable_size(*place);
  if (in_use > most) most = in_use;
  return result;
}

void __real_free(void *block);
void __wrap_free(void *block) {
  if (block && block != room) in_use -= (long)malloc_usable_size(block);
  if (block == room) room = NULL;
  __real_free(block);
}

static int file_count;
static char **files;
static long text_most, table_bytes;

static void *read_all(void *failure) {
  *(int *)failure = 1;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < file_count; i++) {
      size_t width, height;
      FILE *file = fopen(files[i], "rb");
      if (!file || fscanf(file, "P5 %zu %zu 255", &width, &height) != 2 || fgetc(file) == EOF) return NULL;
      size_t size = reticle_workspace_size(width * height);
      uint8_t *luma = __real_malloc(width * height);
      void *memory = __real_malloc(size);
      if (fread(luma, width, height, file) != height) return NULL;
      fclose(file);
      reticle_workspace *workspace;
      reticle_outcome outcome;
      calls = 0;
      if (reticle_workspace_make(memory, size, width * height, &workspace)) return NULL;
      if (reticle_decode(workspace, luma, width, height, width, NULL, NULL, &outcome, sizeof outcome)) return NULL;
      if (calls) return printf("decoding took memory %ld times\n", calls), NULL;
      for (size_t s = 0; s < outcome.symbol_count; s++) {
        static char buffer[65536];
        reticle_text text;
        long before = in_use;
        most = in_use;
        if (reticle_get_text(workspace, s, buffer, sizeof buffer, &text, sizeof text)) return NULL;
        if (round == 1 && in_use != before) return printf("a text kept %ld bytes\n", in_use - before), NULL;
        if (most - before > text_most) text_most = most - before;
      }
      __real_free(memory);
      __real_free(luma);
    }
    if (round == 0) table_bytes = in_use;
  }
  *(int *)failure = 0;
  return NULL;
}

int main(int argc, char **argv) {
  file_count = argc - 1;
  files = argv + 1;
  unsigned char *stack = NULL;
  if (__real_posix_memalign((void **)&stack, 4096, stack_byte_count)) return 71;
  memset(stack, fill, stack_byte_count);
  pthread_attr_t attributes;
  pthread_t thread;
  int failure = 1;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, stack_byte_count);
  if (pthread_create(&thread, &attributes, read_all, &failure)) return 71;
  pthread_join(thread, NULL);
  size_t unused = 0;
  while (stack[unused] == fill) unused++;
  printf("texts %ld tables %ld stack %zu\n", text_most, table_bytes, stack_byte_count - unused);
  __real_free(stack);
  return failure;
}
