// A plugin of qemu-user: how often each block of instructions is executed. A block runs from its first instruction to its last
// without a branch. The interface is QEMU's own, version 1 (docs/devel/tcg-plugins.rst, QEMU 7.2); Debian has no header of it.
// usage: qemu-aarch64 -plugin count-blocks.so,out=FILE PROGRAM...     FILE gets a line per block: the place of its first instruction
// from the program's start, in hexadecimal, the number of its instructions, and how often they were executed.

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };

extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
extern uint64_t qemu_plugin_start_code(void);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *number, uint64_t addend);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

// One block as QEMU translated it. It may translate a block again, which is then another entry of the list.
struct block {
  struct block *next;
  uint64_t address, instructions, count;
};
static struct block *blocks;
static const char *path;

static void block_translated(qemu_plugin_id_t plugin, struct qemu_plugin_tb *translated) {
  (void)plugin;
  // The list lives as long as the process.
  struct block *block = calloc(1, sizeof *block);
  if (!block) abort();
  block->next = blocks;
  block->address = qemu_plugin_tb_vaddr(translated);
  block->instructions = qemu_plugin_tb_n_insns(translated);
  blocks = block;
  qemu_plugin_register_vcpu_tb_exec_inline(translated, QEMU_PLUGIN_INLINE_ADD_U64, &block->count, 1);
}

static void program_ended(qemu_plugin_id_t plugin, void *context) {
  (void)plugin, (void)context;
  FILE *file = fopen(path, "w");
  if (!file) return perror(path);
  uint64_t start = qemu_plugin_start_code();
  for (struct block *block = blocks; block; block = block->next)
    fprintf(file, "%" PRIx64 " %" PRIu64 " %" PRIu64 "\n", block->address - start, block->instructions, block->count);
  fclose(file);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t plugin, const void *info, int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; i++)
    if (strncmp(argv[i], "out=", 4) == 0) path = strdup(argv[i] + 4);
  if (!path) return fprintf(stderr, "count-blocks: out=FILE is missing\n"), 1;
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, block_translated);
  qemu_plugin_register_atexit_cb(plugin, program_ended, NULL);
  return 0;
}
