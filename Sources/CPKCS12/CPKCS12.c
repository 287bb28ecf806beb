// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#include "CPKCS12.h"

// BoringSSL as swift-nio-ssl carries it, under the prefix that it gives all names; its headers are not for others.
typedef struct PKCS12 PKCS12;
typedef struct EVP_PKEY EVP_PKEY;
typedef struct X509 X509;

PKCS12 *CNIOBoringSSL_d2i_PKCS12(PKCS12 **out, const uint8_t **bytes, size_t count);
int CNIOBoringSSL_PKCS12_parse(const PKCS12 *file, const char *password, EVP_PKEY **key, X509 **certificate, void *others);
void CNIOBoringSSL_PKCS12_free(PKCS12 *file);
void CNIOBoringSSL_EVP_PKEY_free(EVP_PKEY *key);
void CNIOBoringSSL_X509_free(X509 *certificate);
void CNIOBoringSSL_ERR_clear_error(void);

apus_pkcs12_content apus_pkcs12_inspect(const uint8_t *bytes, size_t count, const char *password) {
    PKCS12 *file = CNIOBoringSSL_d2i_PKCS12(NULL, &bytes, count);
    EVP_PKEY *key = NULL;
    X509 *certificate = NULL;
    apus_pkcs12_content content = apus_pkcs12_unreadable;
    if (file != NULL && CNIOBoringSSL_PKCS12_parse(file, password, &key, &certificate, NULL)) {
        content = key != NULL && certificate != NULL ? apus_pkcs12_complete : apus_pkcs12_incomplete;
    }
    // Each of these takes NULL as well.
    CNIOBoringSSL_X509_free(certificate);
    CNIOBoringSSL_EVP_PKEY_free(key);
    CNIOBoringSSL_PKCS12_free(file);
    CNIOBoringSSL_ERR_clear_error();
    return content;
}
