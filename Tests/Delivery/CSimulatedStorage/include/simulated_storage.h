#pragma once
#include <stdbool.h>
#include <stdint.h>

// Storage in memory that fails like real storage, determined by a seed. It keeps files as the system sees them and as the
// medium has them, both under SQLite (as the layer "simulated") and for direct access. The paths of a disk's files begin
// with the disk's path.

struct disk;

struct disk *disk_new(uint64_t seed);
void disk_free(struct disk *);
// "/disk7", to be followed by a slash and a name.
const char *disk_path(const struct disk *);
// The name of the SQLite layer, registered by the first call.
const char *disk_layer(void);

// Direct access, without SQLite. Negative results are -errno.
int64_t disk_identity(struct disk *, const char *path); // 0: no such file
int64_t disk_size(struct disk *, const char *path);     // -1: no such file
int64_t disk_read(struct disk *, const char *path, void *bytes, int64_t size, int64_t offset);
int disk_write(struct disk *, const char *path, const void *bytes, int64_t size, int64_t offset, bool syncs);
int disk_rename(struct disk *, const char *path, const char *other);
int disk_remove(struct disk *, const char *path);
int disk_sync_names(struct disk *);
// The name at an index, or NULL.
const char *disk_name(struct disk *, int index);
int64_t disk_room(struct disk *);

// Faults from now on.
struct disk_faults {
  int64_t room;        // bytes that files may still grow by; below 0: no limit
  bool read_only;      // nothing can be written
  bool no_folder;      // no file can be found or made
  bool locked;         // another program holds SQLite's write lock
  int write_fails;     // number of failing writes in 1000
  int read_fails;
  int sync_fails;
  bool lies;           // after a power cut, some synced data is not on the medium
  int64_t dies_after;  // writes and syncs until the process is killed, in the middle of the last; below 0: never
};
struct disk_faults *disk_faults_of(struct disk *);

// Whether the process was killed: every call fails until disk_restart.
bool disk_is_dead(const struct disk *);
// Grows with each change of bytes and names: equal counts mean equal contents.
int64_t disk_change_count(const struct disk *);
// The process stops writing; its open files can still be closed.
void disk_die(struct disk *);
// kill -9: everything that the system saw is kept, open files are gone.
void disk_kill(struct disk *);
// A power cut: synced data is kept; of the rest nothing, everything, or any part, torn anywhere.
void disk_cut_power(struct disk *);
// The storage is unmounted while files are open, and mounted again: open files lose their names and fail.
void disk_remount(struct disk *);
// The process starts again.
void disk_restart(struct disk *);

// Damage on the medium and in the system's view of it.
void disk_overwrite(struct disk *, const char *path, int64_t offset, int64_t size, bool with_zeros);
void disk_flip(struct disk *, const char *path, int64_t offset);
void disk_truncate(struct disk *, const char *path, int64_t size);
