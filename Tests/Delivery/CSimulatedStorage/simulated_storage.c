#include "simulated_storage.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_LENGTH = 128, NAMES_MAX = 64, REGIONS_MAX = 16, REGION_SIZE = 32768, DISKS_MAX = 64 };

struct change {
  int64_t offset, size; // size below 0: the file is cut to `offset`
  uint8_t *bytes;
};

struct content {
  uint8_t *bytes;
  int64_t size, capacity;
};

struct inode {
  int64_t number;
  int users; // names and open files
  bool is_detached; // its storage was taken away
  struct content seen, durable;
  struct change *changes; // since the last sync
  int64_t change_count, change_capacity;
  // SQLite's locks, by open files.
  int shared;
  void *reserved, *exclusive;
  uint8_t *regions[REGIONS_MAX];
  int region_users;
  int region_shared[SQLITE_SHM_NLOCK];
  void *region_exclusive[SQLITE_SHM_NLOCK];
};

struct name {
  char path[PATH_MAX_LENGTH];
  struct inode *inode;
};

struct disk {
  char path[16];
  uint64_t random;
  int64_t last_inode;
  struct name names[NAMES_MAX], durable_names[NAMES_MAX];
  struct disk_faults faults;
  int64_t life; // processes up to now: files that an earlier one opened are dead
  bool dead;
  int64_t change_count; // of bytes and names
};

struct file {
  sqlite3_file base;
  struct disk *disk;
  struct inode *inode;
  int64_t life;
  bool read_only, syncs_names, uses_regions, deletes;
  char path[PATH_MAX_LENGTH];
  int level;
  uint16_t region_shared, region_exclusive;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct disk *disks[DISKS_MAX];

static uint64_t next_random(struct disk *disk) {
  uint64_t x = disk->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return disk->random = x;
}
static int64_t below(struct disk *disk, int64_t limit) { return limit <= 0 ? 0 : (int64_t)(next_random(disk) % (uint64_t)limit); }
static bool happens(struct disk *disk, int of_thousand) { return of_thousand > 0 && below(disk, 1000) < of_thousand; }

// Contents

// Makes room; the added bytes are not initialised.
static void grow(struct content *content, int64_t size) {
  if (size > content->capacity) {
    content->capacity = size * 2 + 65536;
    content->bytes = realloc(content->bytes, content->capacity);
    if (!content->bytes) abort();
  }
  if (size > content->size) content->size = size;
}
static void resize(struct content *content, int64_t size) {
  int64_t old = content->size;
  grow(content, size);
  if (size > old) memset(content->bytes + old, 0, size - old);
  content->size = size;
}
static void apply(struct content *content, const struct change *change, int64_t size) {
  if (change->size < 0) return resize(content, change->offset);
  if (size <= 0) return;
  if (change->offset > content->size) resize(content, change->offset);
  grow(content, change->offset + size);
  memcpy(content->bytes + change->offset, change->bytes, size);
}
static void forget_changes(struct inode *inode) {
  for (int64_t i = 0; i < inode->change_count; i++) free(inode->changes[i].bytes);
  inode->change_count = 0;
}
static void add_change(struct inode *inode, int64_t offset, const void *bytes, int64_t size) {
  if (inode->change_count == inode->change_capacity) {
    inode->change_capacity = inode->change_capacity * 2 + 16;
    inode->changes = realloc(inode->changes, inode->change_capacity * sizeof *inode->changes);
    if (!inode->changes) abort();
  }
  struct change *change = &inode->changes[inode->change_count++];
  *change = (struct change){offset, size, NULL};
  if (size > 0) {
    change->bytes = malloc(size);
    if (!change->bytes) abort();
    memcpy(change->bytes, bytes, size);
  }
  apply(&inode->seen, change, size);
}
static void release(struct inode *inode) {
  if (!inode || --inode->users > 0) return;
  forget_changes(inode);
  free(inode->changes);
  free(inode->seen.bytes);
  free(inode->durable.bytes);
  for (int i = 0; i < REGIONS_MAX; i++) free(inode->regions[i]);
  free(inode);
}

// Names

static struct name *find(struct disk *disk, const char *path) {
  if (disk->faults.no_folder) return NULL;
  for (int i = 0; i < NAMES_MAX; i++)
    if (disk->names[i].inode && !strcmp(disk->names[i].path, path)) return &disk->names[i];
  return NULL;
}
static struct name *make(struct disk *disk, const char *path) {
  if (disk->faults.no_folder || disk->faults.read_only) return NULL;
  for (int i = 0; i < NAMES_MAX; i++) {
    struct name *name = &disk->names[i];
    if (name->inode) continue;
    struct inode *inode = calloc(1, sizeof *inode);
    if (!inode) abort();
    inode->number = ++disk->last_inode;
    disk->change_count++;
    inode->users = 1;
    snprintf(name->path, sizeof name->path, "%s", path);
    name->inode = inode;
    return name;
  }
  return NULL;
}
static void copy_names(struct name *to, const struct name *from) {
  for (int i = 0; i < NAMES_MAX; i++)
    if (from[i].inode) from[i].inode->users++;
  for (int i = 0; i < NAMES_MAX; i++) release(to[i].inode);
  memcpy(to, from, sizeof(struct name) * NAMES_MAX);
}
int disk_sync_names(struct disk *disk) {
  if (disk->dead) return -EIO;
  if (disk->faults.no_folder) return -ENOENT;
  copy_names(disk->durable_names, disk->names);
  return 0;
}

// Writing. Returns 0 or an SQLite error.

// Whether the process is killed before this step has ended.
static bool dies_now(struct disk *disk) {
  if (disk->faults.dies_after < 0) return false;
  if (disk->faults.dies_after-- > 0) return false;
  disk->faults.dies_after = -1;
  disk->dead = true;
  return true;
}
static int write_inode(struct disk *disk, struct inode *inode, const void *bytes, int64_t size, int64_t offset) {
  if (disk->dead || inode->is_detached) return SQLITE_IOERR_WRITE;
  if (disk->faults.read_only) return SQLITE_IOERR_WRITE;
  disk->change_count++;
  int64_t growth = offset + size - inode->seen.size;
  if (growth > 0 && disk->faults.room >= 0) {
    if (growth > disk->faults.room) return SQLITE_FULL;
    disk->faults.room -= growth;
  }
  if (happens(disk, disk->faults.write_fails)) {
    // A part of it may still have been written.
    add_change(inode, offset, bytes, below(disk, size + 1));
    return SQLITE_IOERR_WRITE;
  }
  if (dies_now(disk)) {
    add_change(inode, offset, bytes, below(disk, size + 1));
    return SQLITE_IOERR_WRITE;
  }
  add_change(inode, offset, bytes, size);
  return SQLITE_OK;
}
static int sync_inode(struct disk *disk, struct inode *inode) {
  if (disk->dead || inode->is_detached || dies_now(disk)) return SQLITE_IOERR_FSYNC;
  if (happens(disk, disk->faults.sync_fails)) return SQLITE_IOERR_FSYNC;
  for (int64_t i = 0; i < inode->change_count; i++) {
    if (disk->faults.lies && below(disk, 8) == 0) {
      // Dropped, or written somewhere else.
      if (inode->changes[i].size > 0 && below(disk, 2) == 0) {
        struct change stray = inode->changes[i];
        stray.offset = below(disk, inode->durable.size / 4096 + 1) * 4096;
        apply(&inode->durable, &stray, stray.size);
      }
      continue;
    }
    apply(&inode->durable, &inode->changes[i], inode->changes[i].size);
  }
  forget_changes(inode);
  return SQLITE_OK;
}
static int truncate_inode(struct disk *disk, struct inode *inode, int64_t size) {
  if (disk->dead || disk->faults.read_only || dies_now(disk)) return SQLITE_IOERR_TRUNCATE;
  disk->change_count++;
  if (disk->faults.room >= 0 && size < inode->seen.size) disk->faults.room += inode->seen.size - size;
  add_change(inode, size, NULL, -1);
  return SQLITE_OK;
}

// SQLite's files

static struct disk *disk_of(const char *path) {
  struct disk *found = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < DISKS_MAX && !found; i++) {
    size_t length = disks[i] ? strlen(disks[i]->path) : 0;
    if (length && !strncmp(disks[i]->path, path, length) && path[length] == '/') found = disks[i];
  }
  pthread_mutex_unlock(&lock);
  return found;
}
static struct file *file_of(sqlite3_file *base) { return (struct file *)base; }
static bool is_dead(struct file *file) { return file->disk->dead || file->life != file->disk->life; }

static int file_unlock(sqlite3_file *, int);
static int file_shm_unmap(sqlite3_file *, int);

static int file_close(sqlite3_file *base) {
  struct file *file = file_of(base);
  if (!file->inode) return SQLITE_OK;
  if (file->life == file->disk->life) {
    file_unlock(base, SQLITE_LOCK_NONE);
    if (file->uses_regions) file_shm_unmap(base, 0);
  }
  if (file->deletes && !is_dead(file)) disk_remove(file->disk, file->path);
  release(file->inode);
  file->inode = NULL;
  return SQLITE_OK;
}
static int file_read(sqlite3_file *base, void *bytes, int size, sqlite3_int64 offset) {
  struct file *file = file_of(base);
  if (is_dead(file) || file->inode->is_detached) return SQLITE_IOERR_READ;
  if (happens(file->disk, file->disk->faults.read_fails)) return SQLITE_IOERR_READ;
  struct content *seen = &file->inode->seen;
  int64_t there = seen->size - offset;
  if (there > size) there = size;
  if (there < 0) there = 0;
  if (there > 0) memcpy(bytes, seen->bytes + offset, there);
  memset((uint8_t *)bytes + there, 0, size - there);
  return there == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}
static int file_write(sqlite3_file *base, const void *bytes, int size, sqlite3_int64 offset) {
  struct file *file = file_of(base);
  if (is_dead(file) || file->read_only) return SQLITE_IOERR_WRITE;
  return write_inode(file->disk, file->inode, bytes, size, offset);
}
static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  struct file *file = file_of(base);
  if (is_dead(file) || file->read_only) return SQLITE_IOERR_TRUNCATE;
  return truncate_inode(file->disk, file->inode, size);
}
static int file_sync(sqlite3_file *base, int flags) {
  (void)flags;
  struct file *file = file_of(base);
  if (is_dead(file)) return SQLITE_IOERR_FSYNC;
  int result = sync_inode(file->disk, file->inode);
  if (result == SQLITE_OK && file->syncs_names) {
    disk_sync_names(file->disk);
    file->syncs_names = false;
  }
  return result;
}
static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  struct file *file = file_of(base);
  if (is_dead(file)) return SQLITE_IOERR_FSTAT;
  *size = file->inode->seen.size;
  return SQLITE_OK;
}
static int file_lock(sqlite3_file *base, int level) {
  struct file *file = file_of(base);
  struct inode *inode = file->inode;
  if (is_dead(file)) return SQLITE_IOERR_LOCK;
  if (level <= file->level) return SQLITE_OK;
  if (level >= SQLITE_LOCK_RESERVED && file->disk->faults.locked) return SQLITE_BUSY;
  if (inode->exclusive && inode->exclusive != file) return SQLITE_BUSY;
  if (file->level == SQLITE_LOCK_NONE) inode->shared++;
  if (level == SQLITE_LOCK_SHARED) {
    file->level = level;
    return SQLITE_OK;
  }
  if (file->level == SQLITE_LOCK_NONE) file->level = SQLITE_LOCK_SHARED;
  if (inode->reserved && inode->reserved != file) return SQLITE_BUSY;
  inode->reserved = file;
  if (level >= SQLITE_LOCK_EXCLUSIVE) {
    if (inode->shared > 1) return SQLITE_BUSY;
    inode->exclusive = file;
  }
  file->level = level;
  return SQLITE_OK;
}
static int file_unlock(sqlite3_file *base, int level) {
  struct file *file = file_of(base);
  struct inode *inode = file->inode;
  if (file->life != file->disk->life) return SQLITE_OK;
  if (inode->exclusive == file) inode->exclusive = NULL;
  if (level < SQLITE_LOCK_RESERVED && inode->reserved == file) inode->reserved = NULL;
  if (level == SQLITE_LOCK_NONE && file->level > SQLITE_LOCK_NONE) inode->shared--;
  if (file->level > level) file->level = level;
  return SQLITE_OK;
}
static int file_reserved(sqlite3_file *base, int *is) {
  *is = file_of(base)->inode->reserved != NULL;
  return SQLITE_OK;
}
static int file_control(sqlite3_file *base, int operation, void *argument) {
  (void)base, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}
static int file_sector(sqlite3_file *base) {
  (void)base;
  return 512;
}
static int file_traits(sqlite3_file *base) {
  (void)base;
  return 0;
}
static int file_shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **memory) {
  struct file *file = file_of(base);
  if (is_dead(file) || region >= REGIONS_MAX || size != REGION_SIZE) return SQLITE_IOERR_SHMMAP;
  struct inode *inode = file->inode;
  if (!file->uses_regions) {
    file->uses_regions = true;
    inode->region_users++;
  }
  if (!inode->regions[region] && extend) {
    inode->regions[region] = calloc(1, REGION_SIZE);
    if (!inode->regions[region]) abort();
  }
  *memory = inode->regions[region];
  return SQLITE_OK;
}
static int file_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
  struct file *file = file_of(base);
  struct inode *inode = file->inode;
  if (file->life != file->disk->life) return flags & SQLITE_SHM_UNLOCK ? SQLITE_OK : SQLITE_IOERR_SHMLOCK;
  if (flags & SQLITE_SHM_UNLOCK) {
    for (int i = offset; i < offset + count; i++) {
      if (inode->region_exclusive[i] == file) inode->region_exclusive[i] = NULL;
      if (file->region_shared & 1 << i) inode->region_shared[i]--;
      file->region_shared &= ~(1 << i);
    }
    return SQLITE_OK;
  }
  if (file->disk->dead) return SQLITE_IOERR_SHMLOCK;
  if (flags & SQLITE_SHM_EXCLUSIVE && offset == 0 && file->disk->faults.locked) return SQLITE_BUSY;
  for (int i = offset; i < offset + count; i++) {
    if (inode->region_exclusive[i] && inode->region_exclusive[i] != file) return SQLITE_BUSY;
    int others = inode->region_shared[i] - (file->region_shared >> i & 1);
    if (flags & SQLITE_SHM_EXCLUSIVE && others > 0) return SQLITE_BUSY;
  }
  for (int i = offset; i < offset + count; i++) {
    if (flags & SQLITE_SHM_EXCLUSIVE) {
      inode->region_exclusive[i] = file;
    } else if (!(file->region_shared & 1 << i)) {
      inode->region_shared[i]++;
      file->region_shared |= 1 << i;
    }
  }
  return SQLITE_OK;
}
static void file_shm_barrier(sqlite3_file *base) { (void)base; }
static void forget_regions(struct inode *inode) {
  for (int i = 0; i < REGIONS_MAX; i++) {
    free(inode->regions[i]);
    inode->regions[i] = NULL;
  }
  inode->region_users = 0;
  memset(inode->region_shared, 0, sizeof inode->region_shared);
  memset(inode->region_exclusive, 0, sizeof inode->region_exclusive);
}
static int file_shm_unmap(sqlite3_file *base, int deletes) {
  (void)deletes;
  struct file *file = file_of(base);
  if (!file->uses_regions || file->life != file->disk->life) return SQLITE_OK;
  file->uses_regions = false;
  file_shm_lock(base, 0, SQLITE_SHM_NLOCK, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
  if (--file->inode->region_users == 0) forget_regions(file->inode);
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, file_reserved,
    file_control, file_sector, file_traits, file_shm_map, file_shm_lock, file_shm_barrier, file_shm_unmap, NULL, NULL,
};

// The layer

static int layer_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
  (void)vfs;
  struct file *file = file_of(base);
  memset(file, 0, sizeof *file);
  struct disk *disk = path ? disk_of(path) : NULL;
  if (!disk || disk->dead) return SQLITE_CANTOPEN;
  struct name *name = find(disk, path);
  bool is_new = !name;
  if (!name && flags & SQLITE_OPEN_CREATE) name = make(disk, path);
  if (!name) return SQLITE_CANTOPEN;
  file->base.pMethods = &methods;
  file->disk = disk;
  file->inode = name->inode;
  file->inode->users++;
  file->life = disk->life;
  file->read_only = disk->faults.read_only || !(flags & SQLITE_OPEN_READWRITE);
  file->syncs_names = is_new;
  file->deletes = flags & SQLITE_OPEN_DELETEONCLOSE;
  snprintf(file->path, sizeof file->path, "%s", path);
  if (out) *out = file->read_only ? (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY : flags;
  return SQLITE_OK;
}
static int layer_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  struct disk *disk = disk_of(path);
  if (!disk) return SQLITE_IOERR_DELETE;
  if (!find(disk, path)) return SQLITE_IOERR_DELETE_NOENT;
  if (disk_remove(disk, path) < 0) return SQLITE_IOERR_DELETE;
  if (syncs) disk_sync_names(disk);
  return SQLITE_OK;
}
static int layer_access(sqlite3_vfs *vfs, const char *path, int flags, int *out) {
  (void)vfs, (void)flags;
  struct disk *disk = disk_of(path);
  struct name *name = disk ? find(disk, path) : NULL;
  // As on Linux: an empty file counts as missing.
  *out = name && (flags != SQLITE_ACCESS_EXISTS || name->inode->seen.size > 0);
  return SQLITE_OK;
}
static int layer_full_path(sqlite3_vfs *vfs, const char *path, int size, char *out) {
  (void)vfs;
  snprintf(out, size, "%s", path);
  return SQLITE_OK;
}
static int layer_randomness(sqlite3_vfs *vfs, int size, char *out) {
  (void)vfs;
  memset(out, 0x5A, size);
  return size;
}
static int layer_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return microseconds;
}
static int layer_time(sqlite3_vfs *vfs, sqlite3_int64 *now) {
  (void)vfs;
  *now = 212501059200000;
  return SQLITE_OK;
}
static int layer_error(sqlite3_vfs *vfs, int size, char *out) {
  (void)vfs, (void)size, (void)out;
  return 0;
}
static sqlite3_vfs layer = {
    .iVersion = 2,
    .szOsFile = sizeof(struct file),
    .mxPathname = PATH_MAX_LENGTH,
    .zName = "simulated",
    .xOpen = layer_open,
    .xDelete = layer_delete,
    .xAccess = layer_access,
    .xFullPathname = layer_full_path,
    .xRandomness = layer_randomness,
    .xSleep = layer_sleep,
    .xGetLastError = layer_error,
    .xCurrentTimeInt64 = layer_time,
};
static void install(void) { sqlite3_vfs_register(&layer, 0); }
const char *disk_layer(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  return layer.zName;
}

// Disks

struct disk *disk_new(uint64_t seed) {
  struct disk *disk = calloc(1, sizeof *disk);
  if (!disk) abort();
  disk->random = seed * 0x9E3779B97F4A7C15u + 0x1234567;
  if (!disk->random) disk->random = 1;
  disk->faults = (struct disk_faults){.room = -1, .dies_after = -1};
  pthread_mutex_lock(&lock);
  for (int i = 0; i < DISKS_MAX; i++) {
    if (disks[i]) continue;
    snprintf(disk->path, sizeof disk->path, "/disk%d", i);
    disks[i] = disk;
    break;
  }
  pthread_mutex_unlock(&lock);
  if (!disk->path[0]) abort();
  return disk;
}
void disk_free(struct disk *disk) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < DISKS_MAX; i++)
    if (disks[i] == disk) disks[i] = NULL;
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < NAMES_MAX; i++) {
    release(disk->names[i].inode);
    release(disk->durable_names[i].inode);
  }
  free(disk);
}
const char *disk_path(const struct disk *disk) { return disk->path; }
struct disk_faults *disk_faults_of(struct disk *disk) { return &disk->faults; }
bool disk_is_dead(const struct disk *disk) { return disk->dead; }
int64_t disk_change_count(const struct disk *disk) { return disk->change_count; }

int64_t disk_identity(struct disk *disk, const char *path) {
  struct name *name = find(disk, path);
  return name ? name->inode->number : 0;
}
int64_t disk_size(struct disk *disk, const char *path) {
  struct name *name = find(disk, path);
  return name ? name->inode->seen.size : -1;
}
int64_t disk_read(struct disk *disk, const char *path, void *bytes, int64_t size, int64_t offset) {
  struct name *name = find(disk, path);
  if (!name) return -ENOENT;
  if (disk->dead || happens(disk, disk->faults.read_fails)) return -EIO;
  int64_t there = name->inode->seen.size - offset;
  if (there > size) there = size;
  if (there <= 0) return 0;
  memcpy(bytes, name->inode->seen.bytes + offset, there);
  return there;
}
static int code_of(int result) { return result == SQLITE_OK ? 0 : result == SQLITE_FULL ? -ENOSPC : -EIO; }
int disk_write(struct disk *disk, const char *path, const void *bytes, int64_t size, int64_t offset, bool syncs) {
  if (disk->dead) return -EIO;
  if (disk->faults.read_only) return -EROFS;
  struct name *name = find(disk, path);
  bool is_new = !name;
  if (!name) name = make(disk, path);
  if (!name) return -ENOENT;
  int result = write_inode(disk, name->inode, bytes, size, offset);
  if (result == SQLITE_OK && syncs) result = sync_inode(disk, name->inode);
  if (result == SQLITE_OK && syncs && is_new) disk_sync_names(disk);
  return code_of(result);
}
int disk_rename(struct disk *disk, const char *path, const char *other) {
  if (disk->dead || dies_now(disk)) return -EIO;
  if (disk->faults.read_only) return -EROFS;
  struct name *name = find(disk, path);
  if (!name) return -ENOENT;
  disk->change_count++;
  struct name *old = find(disk, other);
  if (old && old != name) {
    release(old->inode);
    old->inode = NULL;
  }
  snprintf(name->path, sizeof name->path, "%s", other);
  return 0;
}
int disk_remove(struct disk *disk, const char *path) {
  if (disk->dead || dies_now(disk)) return -EIO;
  if (disk->faults.read_only) return -EROFS;
  struct name *name = find(disk, path);
  if (!name) return 0;
  disk->change_count++;
  if (disk->faults.room >= 0) disk->faults.room += name->inode->seen.size;
  release(name->inode);
  name->inode = NULL;
  return 0;
}
const char *disk_name(struct disk *disk, int index) {
  for (int i = 0; i < NAMES_MAX; i++)
    if (disk->names[i].inode && index-- == 0) return disk->names[i].path;
  return NULL;
}
int64_t disk_room(struct disk *disk) { return disk->faults.room < 0 ? INT64_MAX : disk->faults.room; }

// Every inode with a name, now or after a cut.
static int inodes(struct disk *disk, struct inode **out) {
  int count = 0;
  for (int i = 0; i < 2 * NAMES_MAX; i++) {
    struct inode *inode = i < NAMES_MAX ? disk->names[i].inode : disk->durable_names[i - NAMES_MAX].inode;
    bool is_known = !inode;
    for (int j = 0; j < count; j++) is_known |= out[j] == inode;
    if (!is_known) out[count++] = inode;
  }
  return count;
}
void disk_die(struct disk *disk) { disk->dead = true; }
void disk_kill(struct disk *disk) {
  disk->dead = true;
  disk->life++;
  disk->change_count++;
  struct inode *all[2 * NAMES_MAX];
  for (int i = inodes(disk, all) - 1; i >= 0; i--) {
    all[i]->shared = 0;
    all[i]->reserved = all[i]->exclusive = NULL;
    forget_regions(all[i]);
  }
}
void disk_cut_power(struct disk *disk) {
  disk_kill(disk);
  // Names created or removed since the names were synced may or may not be there, applied in order; a file has at most one
  // name.
  if (below(disk, 2)) copy_names(disk->names, disk->durable_names);
  struct inode *all[2 * NAMES_MAX];
  for (int i = inodes(disk, all) - 1; i >= 0; i--) {
    struct inode *inode = all[i];
    int64_t kind = below(disk, 3);
    for (int64_t j = 0; j < inode->change_count; j++) {
      struct change *change = &inode->changes[j];
      bool is_last = j == inode->change_count - 1;
      int64_t torn = below(disk, change->size + 1);
      if (kind == 0) break;
      if (kind == 1) apply(&inode->durable, change, is_last ? torn : change->size);
      if (kind == 2 && below(disk, 2)) apply(&inode->durable, change, below(disk, 2) ? torn : change->size);
    }
    forget_changes(inode);
    resize(&inode->seen, inode->durable.size);
    if (inode->durable.size) memcpy(inode->seen.bytes, inode->durable.bytes, inode->durable.size);
  }
  copy_names(disk->durable_names, disk->names);
}
void disk_remount(struct disk *disk) {
  disk->change_count++;
  for (int i = 0; i < NAMES_MAX; i++) {
    struct inode *old = disk->names[i].inode;
    if (!old) continue;
    struct inode *inode = calloc(1, sizeof *inode);
    if (!inode) abort();
    inode->number = ++disk->last_inode;
    inode->users = 1;
    resize(&inode->seen, old->seen.size);
    resize(&inode->durable, old->seen.size);
    if (old->seen.size) memcpy(inode->seen.bytes, old->seen.bytes, old->seen.size);
    if (old->seen.size) memcpy(inode->durable.bytes, old->seen.bytes, old->seen.size);
    old->is_detached = true;
    disk->names[i].inode = inode;
    release(old);
  }
  copy_names(disk->durable_names, disk->names);
}
void disk_restart(struct disk *disk) {
  if (!disk->dead) disk_kill(disk);
  else {
    disk->life++;
    disk_kill(disk);
  }
  disk->dead = false;
}

// Damage

void disk_overwrite(struct disk *disk, const char *path, int64_t offset, int64_t size, bool with_zeros) {
  struct name *name = find(disk, path);
  if (!name) return;
  disk->change_count++;
  struct content *contents[] = {&name->inode->seen, &name->inode->durable};
  for (int64_t i = 0; i < size; i++) {
    uint8_t byte = with_zeros ? 0 : (uint8_t)next_random(disk);
    for (int j = 0; j < 2; j++)
      if (offset + i < contents[j]->size) contents[j]->bytes[offset + i] = byte;
  }
}
void disk_flip(struct disk *disk, const char *path, int64_t offset) {
  struct name *name = find(disk, path);
  if (!name) return;
  disk->change_count++;
  uint8_t bit = 1 << below(disk, 8);
  if (offset < name->inode->seen.size) name->inode->seen.bytes[offset] ^= bit;
  if (offset < name->inode->durable.size) name->inode->durable.bytes[offset] ^= bit;
}
void disk_truncate(struct disk *disk, const char *path, int64_t size) {
  struct name *name = find(disk, path);
  if (!name) return;
  disk->change_count++;
  if (size < name->inode->seen.size) resize(&name->inode->seen, size);
  if (size < name->inode->durable.size) resize(&name->inode->durable, size);
}
