// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#pragma once
#include <sqlite3.h>

// sqlite3_config has variable arguments, which Swift does not import.
static inline int apus_sqlite3_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
