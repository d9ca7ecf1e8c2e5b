// Storage that records and fails: a layer (VFS) between SQLite and the file system. For watched folders it records, in
// order, every change of a file, every sync and every name created or removed, so that a test can build the state after a
// power cut. It can also behave like a disk that is full or read-only, or that no longer syncs.
//
// Written in C because SQLite requires a table of C functions.

#ifndef STORAGE_RECORDER_H
#define STORAGE_RECORDER_H

#include <stdint.h>

enum storage_entry_kind {
  storage_write,
  storage_truncate,   // offset is the new size
  storage_sync,       // everything written to the file before is safe
  storage_create,
  storage_delete,
  storage_sync_names, // names created and removed before are safe
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
  storage_full,       // writes that enlarge a file find no space
  storage_read_only,  // nothing can be written or created
  storage_sync_fails,
};

struct storage_watcher;

// Installs the layer under every database opened from now on; further calls have no effect.
void storage_install(void);

// Watches those files of a folder that are opened from now on.
struct storage_watcher *storage_watch(const char *folder);

// Stops watching and frees the entries. Its files must be closed.
void storage_unwatch(struct storage_watcher *watcher);

// Sets the behaviour of the folder's storage from now on.
void storage_set_fault(struct storage_watcher *watcher, enum storage_fault fault);

void storage_add_mark(struct storage_watcher *watcher, int64_t number);

// The number of entries, and each of them; valid until the next change.
int64_t storage_entry_count(struct storage_watcher *watcher);
const struct storage_entry *storage_entry_at(struct storage_watcher *watcher, int64_t index);

#endif
