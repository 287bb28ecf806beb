// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#pragma once
#include <sqlite3.h>

// sqlite3_config has variable arguments, which Swift does not import.
static inline int apus_sqlite3_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Waits until the disk has the database file. Uses the handle of the connection: closing another handle of the file would
// release the locks of the process.
static inline int apus_sqlite3_sync(sqlite3 *connection) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    return file && file->pMethods ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) : SQLITE_IOERR;
}
