// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import SwiftASN1
import X509

/// What `DCAppAttestService.attestKey` returns: a certificate of the key, and data about the app and the key.
struct AttestationObject {
    /// Attestation objects have about 5.5 KiB.
    static let maximumBytes = 16 << 10

    /// The certificate of the key, then that of its issuer.
    let certificates: [Certificate]
    let authenticatorData: [UInt8]
    let fields: AuthenticatorData

    /// - Throws: ``AttestationError`` `.malformed`.
    init(_ bytes: [UInt8]) throws(AttestationError) {
        guard bytes.count <= Self.maximumBytes else { throw .malformed }
        let object = try CBORReader.read(bytes)
        guard object["fmt"]?.text == "apple-appattest", let data = object["authData"]?.bytes,
            let chain = object["attStmt"]?["x5c"]?.elements, chain.count == 2
        else { throw .malformed }
        var certificates: [Certificate] = []
        for element in chain {
            guard let der = element.bytes, let certificate = try? Certificate(derEncoded: der) else {
                throw .malformed
            }
            certificates.append(certificate)
        }
        self.certificates = certificates
        self.authenticatorData = data
        self.fields = try AuthenticatorData(data)
    }
}

/// The authenticator data of WebAuthn, up to the credential ID.
///
/// The key after it is also in the certificate.
struct AuthenticatorData {
    let rpIDHash: [UInt8]
    let counter: [UInt8]
    let aaguid: [UInt8]
    let credentialID: [UInt8]

    init(_ bytes: [UInt8]) throws(AttestationError) {
        let header = 55
        // Bit 6 of the flags: the data has a credential.
        guard bytes.count >= header, bytes[32] & 0x40 != 0 else { throw .malformed }
        let length = Int(bytes[53]) << 8 | Int(bytes[54])
        guard bytes.count >= header + length else { throw .malformed }
        self.rpIDHash = Array(bytes[0..<32])
        self.counter = Array(bytes[33..<37])
        self.aaguid = Array(bytes[37..<53])
        self.credentialID = Array(bytes[header..<(header + length)])
    }
}
