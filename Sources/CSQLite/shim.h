#pragma once
#include <sqlite3.h>

// Tells SQLite to copy what is bound; the macro is a cast that Swift does not import.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
