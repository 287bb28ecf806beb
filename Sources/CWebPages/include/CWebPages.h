// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#ifndef CWEBPAGES_H
#define CWEBPAGES_H

#include <stddef.h>

/// A file of a page, as it was when this was compiled.
typedef struct {
    /// The page and the last segment of the file's path, such as "wall/main.js".
    const char *name;
    /// Its media type.
    const char *type;
    /// UTF-8, without a terminating zero.
    const unsigned char *bytes;
    size_t size;
} apus_page_file;

const apus_page_file *apus_page_files(void);

size_t apus_page_file_count(void);

#endif
