// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import CryptoExtras
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes a certificate and its private key as a PKCS #12 file (RFC 7292), as one exports them from a key chain.
///
/// Both are encrypted with AES-256 (PBES2, RFC 8018) and the whole is sealed with HMAC-SHA256.
enum PKCS12File {
    private static let iterations = 2048
    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
    private static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 6]
    private static let keyBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 2]
    private static let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 3]
    private static let x509Certificate: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 22, 1]
    private static let friendlyName: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 20]
    private static let localKeyID: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 21]
    private static let pbes2: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 13]
    private static let pbkdf2: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 12]
    private static let hmacSHA256: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 2, 9]
    private static let aes256CBC: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 42]
    private static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]

    /// The file's bytes in DER; `password` may be empty.
    ///
    /// - Throws: an error of the parser for PEM documents that hold no certificate and no P-256 key.
    static func bytes(_ issued: IssuedCertificate, name: String, password: String) throws -> [UInt8] {
        let certificate = try Certificate(pemEncoded: issued.certificatePEM)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        let certificateDER = serializer.serializedBytes
        let key = try P256.Signing.PrivateKey(pemRepresentation: issued.privateKeyPEM)
        let keyDER = try Array(PEMDocument(pemString: key.pemRepresentation).derBytes)
        let attributes = Self.attributes(name: name, keyID: Array(Insecure.SHA1.hash(data: certificateDER)))
        let certificates = DERNode.sequence([
            Self.bag(
                Self.certificateBag,
                .sequence([.identifier(Self.x509Certificate), .tagged(0, .octets(certificateDER))]),
                attributes
            )
        ])
        let (keyCipher, keyBytes) = try Self.encrypt(keyDER, password: password)
        let keys = DERNode.sequence([
            Self.bag(Self.keyBag, .sequence([keyCipher, .octets(keyBytes)]), attributes)
        ])
        let (cipher, encrypted) = try Self.encrypt(try certificates.bytes(), password: password)
        let contents = try DERNode.sequence([
            .sequence([
                .identifier(Self.encryptedData),
                .tagged(
                    0,
                    .sequence([
                        .integer(0),
                        .sequence([.identifier(Self.data), cipher, .taggedOctets(0, encrypted)]),
                    ])
                ),
            ]),
            .sequence([.identifier(Self.data), .tagged(0, .octets(try keys.bytes()))]),
        ]).bytes()
        return try DERNode.sequence([
            .integer(3), .sequence([.identifier(Self.data), .tagged(0, .octets(contents))]),
            Self.seal(contents, password: password),
        ]).bytes()
    }

    private static func bag(_ kind: ASN1ObjectIdentifier, _ value: DERNode, _ attributes: DERNode) -> DERNode {
        .sequence([.identifier(kind), .tagged(0, value), attributes])
    }

    private static func attributes(name: String, keyID: [UInt8]) -> DERNode {
        .set([
            .sequence([.identifier(Self.friendlyName), .set([.bmpString(name)])]),
            .sequence([.identifier(Self.localKeyID), .set([.octets(keyID)])]),
        ])
    }

    /// Encrypts with a key derived from the password; returns the algorithm with its parameters, and the bytes.
    private static func encrypt(_ bytes: [UInt8], password: String) throws -> (DERNode, [UInt8]) {
        let salt = Self.random(16)
        let vector = Self.random(16)
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8),
            salt: salt,
            using: .sha256,
            outputByteCount: 32,
            unsafeUncheckedRounds: Self.iterations
        )
        let encrypted = try AES._CBC.encrypt(bytes, using: key, iv: AES._CBC.IV(ivBytes: vector))
        let derivation = DERNode.sequence([
            .identifier(Self.pbkdf2),
            .sequence([
                .octets(salt), .integer(Self.iterations), .sequence([.identifier(Self.hmacSHA256), .null]),
            ]),
        ])
        let cipher = DERNode.sequence([.identifier(Self.aes256CBC), .octets(vector)])
        return (.sequence([.identifier(Self.pbes2), .sequence([derivation, cipher])]), Array(encrypted))
    }

    private static func seal(_ contents: [UInt8], password: String) -> DERNode {
        let salt = Self.random(16)
        let key = SymmetricKey(data: Self.sealingKey(password: password, salt: salt))
        let code = Array(HMAC<SHA256>.authenticationCode(for: contents, using: key))
        return .sequence([
            .sequence([.sequence([.identifier(Self.sha256), .null]), .octets(code)]), .octets(salt),
            .integer(Self.iterations),
        ])
    }

    /// The key of the seal: RFC 7292 appendix B.2 with identifier 3, for one block of SHA-256.
    private static func sealingKey(password: String, salt: [UInt8]) -> [UInt8] {
        let blockSize = 64
        func filled(_ bytes: [UInt8]) -> [UInt8] {
            guard !bytes.isEmpty else { return [] }
            let count = (bytes.count + blockSize - 1) / blockSize * blockSize
            return (0..<count).map { bytes[$0 % bytes.count] }
        }
        let start = [UInt8](repeating: 3, count: blockSize)
        var hash = Array(SHA256.hash(data: start + filled(salt) + filled(DERNode.bigEndian(password) + [0, 0])))
        for _ in 1..<Self.iterations { hash = Array(SHA256.hash(data: hash)) }
        return hash
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// A value of ASN.1 about to be written in DER (X.690 section 10).
indirect enum DERNode {
    case sequence([DERNode])
    case set([DERNode])
    /// `[number]`, explicit: around another value.
    case tagged(UInt8, DERNode)
    /// `[number]`, implicit: in the place of an octet string's tag.
    case taggedOctets(UInt8, [UInt8])
    case integer(Int)
    case octets([UInt8])
    case bmpString(String)
    case identifier(ASN1ObjectIdentifier)
    case null

    /// The bytes.
    ///
    /// - Throws: an error of the serializer for an object identifier that is none.
    func bytes() throws -> [UInt8] {
        switch self {
        case .sequence(let nodes): return Self.wrap(0x30, try nodes.flatMap { try $0.bytes() })
        case .set(let nodes): return Self.wrap(0x31, try nodes.flatMap { try $0.bytes() })
        case .tagged(let number, let node): return Self.wrap(0xA0 | number, try node.bytes())
        case .taggedOctets(let number, let bytes): return Self.wrap(0x80 | number, bytes)
        case .octets(let bytes): return Self.wrap(0x04, bytes)
        case .bmpString(let text): return Self.wrap(0x1E, Self.bigEndian(text))
        case .null: return [0x05, 0]
        case .integer(let value):
            var serializer = DER.Serializer()
            try serializer.serialize(value)
            return serializer.serializedBytes
        case .identifier(let identifier):
            var serializer = DER.Serializer()
            try serializer.serialize(identifier)
            return serializer.serializedBytes
        }
    }

    /// A text in UTF-16, big-endian.
    static func bigEndian(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    private static func wrap(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
