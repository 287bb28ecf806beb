// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#ifndef CBUILDINFO_H
#define CBUILDINFO_H

/// The commit of the sources in hexadecimal, or `unknown`.
const char *apus_commit(void);

#endif
