// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#ifndef COPENAPI_H
#define COPENAPI_H

#include <stddef.h>

/// docs/openapi.yaml as it was when this was compiled: UTF-8, without a terminating zero.
const unsigned char *apus_openapi(void);

/// The length of `apus_openapi` in bytes.
size_t apus_openapi_size(void);

#endif
