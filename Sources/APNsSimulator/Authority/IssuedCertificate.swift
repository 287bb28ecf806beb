// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A certificate and its private key, both as PEM.
public struct IssuedCertificate: Sendable {
    /// The certificate.
    public var certificatePEM: String
    /// The private key (P-256, PKCS #8).
    ///
    /// A secret.
    public var privateKeyPEM: String

    /// A certificate with its key.
    public init(certificatePEM: String, privateKeyPEM: String) {
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
    }

    /// Both in one PKCS #12 file (`.p12`).
    ///
    /// - Parameters:
    ///   - name: what programs show it as.
    ///   - password: what opens it; may be empty.
    /// - Returns: the file's bytes.
    /// - Throws: an error of the parser if the PEM documents were changed to what they cannot be.
    public func pkcs12(name: String = "Apple Push Services", password: String) throws -> [UInt8] {
        try PKCS12File.bytes(self, name: name, password: password)
    }
}
