// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation

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
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    public func seal(_ material: CredentialMaterial, for credential: CredentialID) -> [UInt8] {
        self.seal(material.encoded, context: Self.context(of: credential))
    }

    /// Decrypts what ``seal(_:for:)`` made.
    ///
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
    /// The purpose is a text that no other caller uses.
    public func derivedKey(for purpose: String) -> [UInt8] {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: self.key, info: Data(purpose.utf8), outputByteCount: 32)
            .withUnsafeBytes { Array($0) }
    }

    /// Encrypts bytes that open in the same context only.
    func seal(_ clear: [UInt8], context: [UInt8]) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(clear, using: self.key, authenticating: context)
            // Cannot trap: a sealed box has a combined form when its nonce has 12 bytes, as the default nonce does.
            guard let combined = box.combined else { preconditionFailure("a standard nonce always combines") }
            return Array(combined)
        } catch {
            // Cannot trap: sealing fails only for keys of other sizes; every initializer makes one of 256 bits.
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

    public var debugDescription: String { self.description }
}

extension MasterKey {
    /// Encrypts the signing secret of an API key for the store.
    ///
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    public func seal(_ secret: SigningSecret, for key: APIKeyID) -> [UInt8] {
        self.seal(Array(secret.text.utf8), context: Self.context(of: key))
    }

    /// Decrypts the signing secret of an API key; `nil` for a key that has none.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen` when the master key is another one, or the bytes were changed or belong
    ///   to another key; these cannot be told apart.
    public func signingSecret(of key: APIKey) throws(MasterKeyError) -> SigningSecret? {
        guard let sealed = key.sealedSigningSecret else { return nil }
        do {
            let clear = try self.open(sealed, context: Self.context(of: key.id))
            return SigningSecret(text: String(decoding: clear, as: UTF8.self))
        } catch {
            throw MasterKeyError(
                code: .cannotOpen,
                message:
                    "The signing secret of the API key '\(key.id)' was sealed under another master key, or its bytes "
                    + "were changed. Start with the master key it was made under, or make another key.",
                cause: error
            )
        }
    }

    private static func context(of key: APIKeyID) -> [UInt8] {
        Array("apus signing secret \(key.rawValue)".utf8)
    }
}

extension MasterKey {
    private static let deliveryContext = Array("apus delivery identity".utf8)

    /// Encrypts the key that signs deliveries to URLs, for the store.
    ///
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    public func seal(deliveryKey keyPEM: String) -> [UInt8] {
        self.seal(Array(keyPEM.utf8), context: Self.deliveryContext)
    }

    /// Decrypts the key that signs deliveries to URLs.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen` when the master key is another one, or the bytes were changed.
    public func deliveryKey(_ sealed: [UInt8]) throws(MasterKeyError) -> String {
        do {
            return String(decoding: try self.open(sealed, context: Self.deliveryContext), as: UTF8.self)
        } catch {
            throw MasterKeyError(
                code: .cannotOpen,
                message:
                    "The key that signs deliveries to URLs was sealed under another master key, or its bytes were changed.",
                cause: error
            )
        }
    }
}

extension MasterKey {
    /// Encrypts a webhook's secret for the store.
    ///
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    public func seal(_ secret: WebhookSecret, for webhook: WebhookID) -> [UInt8] {
        self.seal(secret.bytes, context: Self.context(of: webhook))
    }

    /// Decrypts the secret of a webhook.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen` when the key is another one, or the bytes were changed or belong to
    ///   another webhook; these cannot be told apart.
    public func secret(of webhook: Webhook) throws(MasterKeyError) -> WebhookSecret {
        do {
            return WebhookSecret(bytes: try self.open(webhook.sealedSecret, context: Self.context(of: webhook.id)))
        } catch {
            throw MasterKeyError(
                code: .cannotOpen,
                message: "The secret of webhook '\(webhook.id)' was sealed under another master key, or its bytes were "
                    + "changed. Start with the master key it was created under, or create the webhook again.",
                cause: error
            )
        }
    }

    private static func context(of webhook: WebhookID) -> [UInt8] {
        Array("apus webhook \(webhook.rawValue)".utf8)
    }
}

/// Why a master key could not be read or did not open a credential.
public struct MasterKeyError: Error, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable {
        /// The text is not Base64 of 32 bytes.
        case malformed

        /// The sealed bytes are not what this key sealed for this credential.
        case cannotOpen
    }

    public let code: Code

    /// What happened and how to fix it; holds no secret.
    public let message: String

    /// The failure of the cryptographic library, where there is one.
    public let cause: (any Error)?

    init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { "\(self.code.rawValue): \(self.message)" }
}
