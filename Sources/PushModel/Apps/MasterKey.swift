// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key under which credentials are sealed in the store: 256 bits for AES-GCM.
///
/// Whoever has the store but not this key has no credential; whoever loses it has to add the credentials again.
public struct MasterKey: Sendable {
    private let key: SymmetricKey

    private init(key: SymmetricKey) {
        self.key = key
    }

    /// Reads the written form: Base64 (RFC 4648, section 4) of exactly 32 bytes; white space around it is ignored.
    ///
    /// Such a text is made by `openssl rand -base64 32`.
    /// - Throws: ``MasterKeyError`` `.malformed`; the message holds the size found, never the text.
    public init(base64: String) throws(MasterKeyError) {
        let text = base64.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: text) else {
            throw MasterKeyError(
                code: .malformed,
                message: "The master key is not Base64 (\(text.utf8.count) characters were given). "
                    + "Make one with: openssl rand -base64 32"
            )
        }
        guard data.count == 32 else {
            throw MasterKeyError(
                code: .malformed,
                message: "The master key has \(data.count) bytes instead of 32. "
                    + "Make one with: openssl rand -base64 32"
            )
        }
        self.key = SymmetricKey(data: data)
    }

    /// Draws a new key from the system's random numbers.
    public static func generate() -> MasterKey { MasterKey(key: SymmetricKey(size: .bits256)) }

    /// The written form that ``init(base64:)`` reads.
    ///
    /// It is the secret itself: show it once, log it never.
    public var base64: String { self.key.withUnsafeBytes { Data($0).base64EncodedString() } }

    /// Encrypts a credential's private part for the store.
    ///
    /// Every call draws a new nonce, so that sealing twice gives different bytes.
    /// - Parameters:
    ///   - material: the private part in the clear.
    ///   - credential: the credential that it belongs to; the sealed bytes open for no other one.
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    public func seal(_ material: CredentialMaterial, for credential: CredentialID) -> [UInt8] {
        self.seal(material.encoded, context: Self.context(of: credential))
    }

    /// Decrypts what ``seal(_:for:)`` made.
    ///
    /// - Parameters:
    ///   - sealed: the bytes from the store.
    ///   - credential: the credential that they belong to.
    /// - Returns: the private part in the clear.
    /// - Throws: ``MasterKeyError`` `.cannotOpen` when the key is another one, or the bytes were changed or
    ///   belong to another credential; these cannot be told apart.
    public func open(_ sealed: [UInt8], for credential: CredentialID) throws(MasterKeyError) -> CredentialMaterial {
        let clear: [UInt8]
        do {
            clear = try self.open(sealed, context: Self.context(of: credential))
        } catch {
            throw MasterKeyError(
                code: .cannotOpen,
                message: "Credential '\(credential)' was sealed under another master key, or its bytes were changed. "
                    + "Start with the master key it was added under, or add the credential again.",
                cause: error
            )
        }
        guard let material = CredentialMaterial(encoded: clear) else {
            throw MasterKeyError(
                code: .cannotOpen,
                message: "Credential '\(credential)' was sealed in a form that this version does not know. "
                    + "Add the credential again."
            )
        }
        return material
    }

    /// A key for another purpose, which tells nothing of this one: 32 bytes, the same whenever the purpose is.
    ///
    /// - Parameter purpose: a text that no other caller has.
    /// - Returns: the key.
    public func derivedKey(for purpose: String) -> [UInt8] {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: self.key, info: Data(purpose.utf8), outputByteCount: 32)
            .withUnsafeBytes { Array($0) }
    }

    /// Encrypts bytes that open in the same context only.
    func seal(_ clear: [UInt8], context: [UInt8]) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(clear, using: self.key, authenticating: context)
            guard let combined = box.combined else { preconditionFailure("a standard nonce always combines") }
            return Array(combined)
        } catch {
            preconditionFailure("AES-GCM refused a 256-bit key and a fresh nonce: \(error)")
        }
    }

    /// Decrypts what ``seal(_:context:)`` made.
    func open(_ sealed: [UInt8], context: [UInt8]) throws -> [UInt8] {
        Array(try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: self.key, authenticating: context))
    }

    private static func context(of credential: CredentialID) -> [UInt8] {
        Array("apus credential \(credential.rawValue)".utf8)
    }
}

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// A constant, so that no log ever holds the key.
    public var description: String { "master key (redacted)" }

    /// See ``description``.
    public var debugDescription: String { self.description }
}
