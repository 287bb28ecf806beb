// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The keys of the transport and of the secrets.
extension ConfigurationKey {
    static let tlsCertificate = Self(
        "tls.certificate",
        .text,
        fallback: nil,
        "PEM file with the certificate of this server and the intermediate certificates; then the API and the probes are "
            + "served over TLS only. Changed files are used for new connections within 5 seconds"
    )

    static let tlsKey = Self(
        "tls.key",
        .text,
        fallback: nil,
        "PEM file with the private key of the certificate, without a passphrase"
    )

    static let tlsClientCA = Self(
        "tls.clientCA",
        .text,
        fallback: nil,
        "PEM file with the authorities of client certificates; then every client needs one of theirs, in addition to its "
            + "API key"
    )

    static let insecureHTTP = Self(
        "insecureHTTP",
        .boolean,
        fallback: "false",
        "serve plain HTTP at an address that other machines reach, behind a proxy that terminates TLS; otherwise the "
            + "server does not start there without tls.certificate. As a flag without a value"
    )

    static let masterKeyCommand = Self(
        "masterKeyCommand",
        .text,
        fallback: nil,
        "shell command that prints the master key, such as a client of a key-management service; run once at the start, "
            + "for at most 30 seconds"
    )

    static let sealAtRest = Self(
        "sealAtRest",
        .boolean,
        fallback: "false",
        "store device tokens and contents of pushes sealed under the master key. A new store is sealed at the start; for an "
            + "existing one, run apus store seal first. A sealed store stays sealed without this key"
    )

    static let coreDumps = Self(
        "coreDumps",
        .boolean,
        fallback: "false",
        "allow core files of crashes, which contain keys and tokens, as far as the limits of the system do"
    )
}
