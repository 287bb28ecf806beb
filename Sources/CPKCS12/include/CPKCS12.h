// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#pragma once
#include <stddef.h>
#include <stdint.h>

/// What a PKCS #12 file turned out to be.
typedef enum {
    /// It is none, or the password does not open it.
    apus_pkcs12_unreadable,
    /// It holds no private key, or no certificate that belongs to it.
    apus_pkcs12_incomplete,
    /// It holds a private key and its certificate.
    apus_pkcs12_complete,
} apus_pkcs12_content;

/// Opens a PKCS #12 file and tells what is in it.
///
/// `NIOSSLPKCS12Bundle` ends the process for a file that opens and is incomplete; so this is asked first.
apus_pkcs12_content apus_pkcs12_inspect(const uint8_t *bytes, size_t count, const char *password);
