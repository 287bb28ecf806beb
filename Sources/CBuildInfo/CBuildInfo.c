// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#include "CBuildInfo.h"

#define TEXT_OF(value) #value
#define TEXT(macro) TEXT_OF(macro)

#ifndef APUS_COMMIT
#define APUS_COMMIT unknown
#endif

const char *apus_commit(void) { return TEXT(APUS_COMMIT); }
