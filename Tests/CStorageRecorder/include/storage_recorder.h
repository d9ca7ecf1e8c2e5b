// Storage that remembers and fails: a layer (VFS) between SQLite and the file system. For the folders that are watched it
// notes every change of a file, every sync and every name that comes or goes, in order, so that a test can build what a power
// cut would have left; and it can behave like a disk that is full, read-only, or does not sync any more.
//
// In C because SQLite takes a table of C functions.

#ifndef STORAGE_RECORDER_H
#define STORAGE_RECORDER_H

#include <stdint.h>

enum storage_entry_kind {
  storage_write,
  storage_truncate,   // offset is the new size
  storage_sync,       // what was written to the file before is safe
  storage_create,
  storage_delete,
  storage_sync_names, // names that came and went before are safe
  storage_mark,       // offset is the caller's number
};

struct storage_entry {
  enum storage_entry_kind kind;
  char name[64];      // of the file in its folder
  int64_t offset;
  int64_t size;
  uint8_t *bytes;     // of a write; owned by the watcher
};

enum storage_fault {
  storage_sound,
  storage_full,       // writes that make a file longer find no space
  storage_read_only,  // nothing can be written or made
  storage_sync_fails,
};

struct storage_watcher;

// Puts the layer under every database that is opened from now on; the first call counts.
void storage_install(void);

// Watches the files of a folder that are opened from now on.
struct storage_watcher *storage_watch(const char *folder);

// Stops watching and frees the entries. Its files must be closed.
void storage_unwatch(struct storage_watcher *watcher);

// How the folder's storage behaves from now on.
void storage_set_fault(struct storage_watcher *watcher, enum storage_fault fault);

void storage_add_mark(struct storage_watcher *watcher, int64_t number);

// The number of entries, and each of them; valid until the next change.
int64_t storage_entry_count(struct storage_watcher *watcher);
const struct storage_entry *storage_entry_at(struct storage_watcher *watcher, int64_t index);

#endif
