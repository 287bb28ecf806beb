// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#include "COpenAPI.h"

// Clang embeds files in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../docs/openapi.yaml"
};

const unsigned char *apus_openapi(void) { return document; }

size_t apus_openapi_size(void) { return sizeof document; }
