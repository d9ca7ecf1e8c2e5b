#pragma once
#include <sqlite3.h>

// Tells SQLite to copy bound values; the macro is a cast that Swift does not import.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

// Sets whether closing the last connection leaves the journal in place, instead of merging it into the database and removing
// it.
static inline int csqlite_keep_journal(sqlite3 *database, int keeps) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}
