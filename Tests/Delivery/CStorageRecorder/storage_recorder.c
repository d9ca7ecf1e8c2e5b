#include "storage_recorder.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct storage_watcher {
  char folder[512];
  enum storage_fault fault;
  struct storage_entry *entries;
  int64_t count, capacity;
  struct storage_watcher *next;
};

// An SQLite file with the real file behind it.
struct watched_file {
  sqlite3_file base;
  struct storage_watcher *watcher; // NULL: not watched
  char name[64];
  int syncs_names;                 // the next sync also covers the folder: a new journal or log
  sqlite3_file real[];             // the size that the real layer requires
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct storage_watcher *watchers;
static sqlite3_vfs layer;
static sqlite3_vfs *below;

static sqlite3_file *real(sqlite3_file *file) { return ((struct watched_file *)file)->real; }

static void add(struct storage_watcher *watcher, enum storage_entry_kind kind, const char *name, int64_t offset,
                const void *bytes, int64_t size) {
  if (!watcher) return;
  pthread_mutex_lock(&lock);
  if (watcher->count == watcher->capacity) {
    watcher->capacity = watcher->capacity ? 2 * watcher->capacity : 1024;
    watcher->entries = realloc(watcher->entries, watcher->capacity * sizeof *watcher->entries);
    if (!watcher->entries) abort();
  }
  struct storage_entry *entry = &watcher->entries[watcher->count++];
  *entry = (struct storage_entry){.kind = kind, .offset = offset, .size = size};
  strncpy(entry->name, name, sizeof entry->name - 1);
  if (size > 0) {
    entry->bytes = malloc(size);
    if (!entry->bytes) abort();
    memcpy(entry->bytes, bytes, size);
  }
  pthread_mutex_unlock(&lock);
}

static enum storage_fault fault_of(struct storage_watcher *watcher) {
  if (!watcher) return storage_sound;
  pthread_mutex_lock(&lock);
  enum storage_fault fault = watcher->fault;
  pthread_mutex_unlock(&lock);
  return fault;
}

// The watcher of a path's folder, and the name in it.
static struct storage_watcher *watcher_of(const char *path, const char **name) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (!slash) return NULL;
  *name = slash + 1;
  pthread_mutex_lock(&lock);
  struct storage_watcher *watcher = watchers;
  while (watcher && (strlen(watcher->folder) != (size_t)(slash - path) || strncmp(watcher->folder, path, slash - path)))
    watcher = watcher->next;
  pthread_mutex_unlock(&lock);
  return watcher;
}

// Files

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, size, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset) {
  struct watched_file *watched = (struct watched_file *)file;
  sqlite3_int64 end = 0;
  switch (fault_of(watched->watcher)) {
  case storage_full:
    real(file)->pMethods->xFileSize(real(file), &end);
    if (offset + size > end) return SQLITE_FULL;
    break;
  case storage_read_only: return SQLITE_IOERR_WRITE; // what SQLite makes of EROFS on an open file
  case storage_sound: case storage_sync_fails: break;
  }
  int result = real(file)->pMethods->xWrite(real(file), bytes, size, offset);
  if (result == SQLITE_OK) add(watched->watcher, storage_write, watched->name, offset, bytes, size);
  return result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  struct watched_file *watched = (struct watched_file *)file;
  if (fault_of(watched->watcher) == storage_read_only) return SQLITE_IOERR_TRUNCATE;
  int result = real(file)->pMethods->xTruncate(real(file), size);
  if (result == SQLITE_OK) add(watched->watcher, storage_truncate, watched->name, size, NULL, 0);
  return result;
}

static int file_sync(sqlite3_file *file, int flags) {
  struct watched_file *watched = (struct watched_file *)file;
  if (fault_of(watched->watcher) == storage_sync_fails) return SQLITE_IOERR_FSYNC;
  int result = real(file)->pMethods->xSync(real(file), flags);
  if (result != SQLITE_OK) return result;
  add(watched->watcher, storage_sync, watched->name, 0, NULL, 0);
  if (watched->syncs_names) add(watched->watcher, storage_sync_names, "", 0, NULL, 0);
  watched->syncs_names = 0;
  return result;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int file_reserved(sqlite3_file *file, int *is) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int file_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int file_traits(sqlite3_file *file) {
  // Assume no promise of the file system, such as that a page is written whole.
  return real(file)->pMethods->xDeviceCharacteristics(real(file)) & SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN;
}
static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int file_shm_unmap(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

// Version 2: without memory-mapped files, whose changes could not be recorded.
static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, file_reserved,
    file_control, file_sector, file_traits, file_shm_map, file_shm_lock, file_shm_barrier, file_shm_unmap, NULL, NULL,
};

// The layer

static int layer_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *taken) {
  (void)vfs;
  struct watched_file *watched = (struct watched_file *)file;
  const char *name = "";
  memset(watched, 0, sizeof *watched);
  watched->watcher = watcher_of(path, &name);
  strncpy(watched->name, name, sizeof watched->name - 1);
  int is_new = 0;
  if (watched->watcher) {
    int is_there = 0;
    below->xAccess(below, path, SQLITE_ACCESS_EXISTS, &is_there);
    is_new = !is_there;
    if (fault_of(watched->watcher) == storage_read_only && flags & SQLITE_OPEN_READWRITE) {
      if (is_new) return SQLITE_CANTOPEN;
      flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    if (fault_of(watched->watcher) == storage_full && is_new && flags & SQLITE_OPEN_CREATE) return SQLITE_CANTOPEN;
  }
  int result = below->xOpen(below, path, watched->real, flags, taken);
  if (watched->real->pMethods) watched->base.pMethods = &methods;
  if (result == SQLITE_OK && is_new && flags & SQLITE_OPEN_CREATE) {
    add(watched->watcher, storage_create, name, 0, NULL, 0);
    watched->syncs_names = (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL)) != 0;
  }
  return result;
}

static int layer_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  const char *name = "";
  struct storage_watcher *watcher = watcher_of(path, &name);
  if (fault_of(watcher) == storage_read_only) return SQLITE_IOERR_DELETE;
  int result = below->xDelete(below, path, syncs);
  if (result != SQLITE_OK) return result;
  add(watcher, storage_delete, name, 0, NULL, 0);
  if (syncs) add(watcher, storage_sync_names, "", 0, NULL, 0);
  return result;
}

static void install(void) {
  below = sqlite3_vfs_find(NULL);
  layer = *below;
  layer.zName = "storage-recorder";
  layer.szOsFile = (int)sizeof(struct watched_file) + below->szOsFile;
  layer.pNext = NULL;
  layer.xOpen = layer_open;
  layer.xDelete = layer_delete;
  // The other functions of the underlying layer use only the copied fields.
  sqlite3_vfs_register(&layer, 1);
}

void storage_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  sqlite3_initialize();
  pthread_once(&once, install);
}

struct storage_watcher *storage_watch(const char *folder) {
  struct storage_watcher *watcher = calloc(1, sizeof *watcher);
  if (!watcher) abort();
  strncpy(watcher->folder, folder, sizeof watcher->folder - 1);
  pthread_mutex_lock(&lock);
  watcher->next = watchers;
  watchers = watcher;
  pthread_mutex_unlock(&lock);
  return watcher;
}

void storage_unwatch(struct storage_watcher *watcher) {
  pthread_mutex_lock(&lock);
  struct storage_watcher **link = &watchers;
  while (*link != watcher) link = &(*link)->next;
  *link = watcher->next;
  pthread_mutex_unlock(&lock);
  for (int64_t index = 0; index < watcher->count; index++) free(watcher->entries[index].bytes);
  free(watcher->entries);
  free(watcher);
}

void storage_set_fault(struct storage_watcher *watcher, enum storage_fault fault) {
  pthread_mutex_lock(&lock);
  watcher->fault = fault;
  pthread_mutex_unlock(&lock);
}

void storage_add_mark(struct storage_watcher *watcher, int64_t number) {
  add(watcher, storage_mark, "", number, NULL, 0);
}

int64_t storage_entry_count(struct storage_watcher *watcher) {
  pthread_mutex_lock(&lock);
  int64_t count = watcher->count;
  pthread_mutex_unlock(&lock);
  return count;
}

const struct storage_entry *storage_entry_at(struct storage_watcher *watcher, int64_t index) {
  return &watcher->entries[index];
}
