// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
public import Foundation
import SwiftASN1
import X509

/// Stands in for Apple's App Attest service, with a root of its own.
public struct TestAttestationAuthority: Sendable {
    /// What a device attests; the defaults are valid.
    public struct Request: Sendable {
        public var appID: String
        public var clientDataHash: [UInt8]
        public var aaguid = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        public var counter: [UInt8] = [0, 0, 0, 0]
        public var credentialID: [UInt8]?

        public init(appID: String, clientDataHash: [UInt8]) {
            self.appID = appID
            self.clientDataHash = clientDataHash
        }
    }

    /// An attestation object, and the ID of its key.
    public struct Attestation: Sendable {
        public let object: [UInt8]
        public let keyID: [UInt8]
    }

    private let rootKey = P384.Signing.PrivateKey()
    private let issuerKey = P384.Signing.PrivateKey()
    private let root: Certificate
    private let issuer: Certificate
    private let now: Date

    public init(now: Date) throws {
        self.now = now
        let names = (try Self.name("Test Attestation Root"), try Self.name("Test Attestation CA"))
        let rootKey = Certificate.PrivateKey(self.rootKey)
        self.root = try Self.certificate(
            of: rootKey.publicKey,
            names.0,
            by: rootKey,
            names.0,
            now,
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }
        )
        self.issuer = try Self.certificate(
            of: Certificate.PrivateKey(self.issuerKey).publicKey,
            names.1,
            by: rootKey,
            names.0,
            now,
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }
        )
    }

    public var rootPEM: String { get throws { try self.root.serializeAsPEM().pemString } }

    public func attest(_ request: Request) throws -> Attestation {
        let key = P256.Signing.PrivateKey()
        let keyID = Self.hash(Array(key.publicKey.x963Representation))
        let credentialID = request.credentialID ?? keyID
        let length = UInt8(truncatingIfNeeded: credentialID.count)
        let app = Self.hash(Array(request.appID.utf8))
        let data = app + [0x40] + request.counter + request.aaguid + [0, length] + credentialID
        let nonce = Self.hash(data + request.clientDataHash)
        let leaf = try Self.certificate(
            of: Certificate.PublicKey(key.publicKey),
            try Self.name("Test Key"),
            by: Certificate.PrivateKey(self.issuerKey),
            self.issuer.subject,
            self.now,
            Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Certificate.Extension(
                    oid: [1, 2, 840, 113_635, 100, 8, 2],
                    critical: false,
                    value: ArraySlice([0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce)
                )
            }
        )
        let chain = try [leaf, self.issuer].map { certificate in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
        return Attestation(object: Self.object(certificates: chain, authenticatorData: data), keyID: keyID)
    }

    /// The CBOR of an attestation object with an empty receipt.
    public static func object(certificates: [[UInt8]], authenticatorData: [UInt8]) -> [UInt8] {
        let chain = [0x80 | UInt8(truncatingIfNeeded: certificates.count)] + certificates.flatMap(self.bytes)
        let statement = [0xA2] + self.text("x5c") + chain + self.text("receipt") + [0x40]
        return [0xA3] + self.text("fmt") + self.text("apple-appattest") + self.text("attStmt") + statement
            + self.text("authData") + self.bytes(authenticatorData)
    }

    private static func bytes(_ bytes: [UInt8]) -> [UInt8] {
        [0x59, UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    /// A text of up to 23 bytes.
    private static func text(_ text: String) -> [UInt8] {
        [0x60 | UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8)
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    private static func name(_ text: String) throws -> DistinguishedName { try DistinguishedName { CommonName(text) } }

    private static func certificate(
        of key: Certificate.PublicKey,
        _ subject: DistinguishedName,
        by issuerKey: Certificate.PrivateKey,
        _ issuer: DistinguishedName,
        _ now: Date,
        _ extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key,
            notValidBefore: now.addingTimeInterval(-3600),
            notValidAfter: now.addingTimeInterval(3 * 24 * 3600),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA384,
            extensions: extensions,
            issuerPrivateKey: issuerKey
        )
    }
}
