// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import Foundation
import Synchronization

/// The key that seals credentials in the store: 256 bits for AES-GCM.
///
/// Without this key, the credentials in a store cannot be read. If the key is lost, the credentials must be added
/// again.
///
/// During a rotation, a value holds several keys: the first one seals, and all of them open. Sealed bytes do not
/// identify their key, so the keys are tried one after the other.
public struct MasterKey: Sendable {
    /// The keys, which all copies of a value share.
    fileprivate let ring: KeyRing

    private init(_ keys: [SymmetricKey], reload: (@Sendable () -> MasterKey?)? = nil) {
        self.ring = KeyRing(keys, reload: reload)
    }

    /// Reads the written form: one key or several with white space between.
    ///
    /// Each is Base64 (RFC 4648, section 4) of exactly 32 bytes. Such a key is made by `openssl rand -base64 32`.
    /// - Throws: ``MasterKeyError`` `.malformed`; the message holds the size found, never the text.
    public init(base64 text: String) throws(MasterKeyError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        var keys: [SymmetricKey] = []
        for word in words.isEmpty ? [""] : words {
            let key = try Self.key(word)
            if !keys.contains(key) { keys.append(key) }
        }
        self.init(keys)
    }

    private static func key(_ text: Substring) throws(MasterKeyError) -> SymmetricKey {
        guard let data = Data(base64Encoded: String(text)) else {
            throw MasterKeyError(
                code: .malformed,
                message: "Invalid master key (\(text.utf8.count) characters). Expected 32 bytes in Base64. "
                    + "Create one with: openssl rand -base64 32"
            )
        }
        guard data.count == 32 else {
            throw MasterKeyError(
                code: .malformed,
                message: "Invalid master key: expected 32 bytes, got \(data.count). "
                    + "Create one with: openssl rand -base64 32"
            )
        }
        return SymmetricKey(data: data)
    }

    /// Draws a new key from the system's random numbers.
    public static func generate() -> MasterKey { MasterKey([SymmetricKey(size: .bits256)]) }

    /// The written form that ``init(base64:)`` reads, one key on each line.
    ///
    /// It is the secret itself: show it once, log it never.
    public var base64: String {
        self.ring.known.map { key in key.withUnsafeBytes { Data($0).base64EncodedString() } }.joined(separator: "\n")
    }

    /// Identifies the key that seals: 8 hexadecimal digits, derived from the key, that reveal nothing about it.
    public var id: String { Self.id(of: self.ring.known[0]) }

    /// The ids of all keys; the first one seals.
    public var ids: [String] { self.ring.known.map(Self.id(of:)) }

    private static func id(of key: SymmetricKey) -> String {
        Hex.text(Self.derivedKey(of: key, for: "apus master key id").prefix(4))
    }

    /// Derives a key of 32 bytes for another purpose from each key; it reveals nothing about that key.
    ///
    /// The first derived key signs, all of them verify. The purpose is a string that no other caller uses.
    public func derivedKeys(for purpose: String) -> [[UInt8]] {
        self.ring.refreshed().map { Self.derivedKey(of: $0, for: purpose) }
    }

    private static func derivedKey(of key: SymmetricKey, for purpose: String) -> [UInt8] {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
            .withUnsafeBytes { Array($0) }
    }
}

// MARK: - Rotation

extension MasterKey {
    /// The key that seals, without the others.
    package var alone: MasterKey { MasterKey([self.ring.known[0]]) }

    /// Each of the keys without the others.
    package var separated: [MasterKey] { self.ring.known.map { MasterKey([$0]) } }

    /// A new key that seals, and the keys so far, which open.
    package func succeeded(by key: MasterKey) -> MasterKey { MasterKey(key.ring.known + self.ring.known) }

    /// Returns the same keys, which are read again when their source changes.
    ///
    /// `reload` returns the keys of the source if they have changed since its last call. It is called before a value is
    /// sealed, and when no key opens a value; one call at a time. Keys that the source no longer has still open values
    /// until the process ends, because it may have read a value before the value was sealed again.
    package func following(_ reload: @escaping @Sendable () -> MasterKey?) -> MasterKey {
        MasterKey(self.ring.known, reload: reload)
    }

    /// Whether one of the keys opens something.
    package func opens(_ sealed: [UInt8], of item: SealedItem) -> Bool { (try? self.open(sealed, of: item)) != nil }

    /// Seals a value again with the first key, if another key sealed it.
    ///
    /// - Returns: the new bytes; `nil` if the first key sealed the value.
    /// - Throws: ``MasterKeyError`` `.cannotOpen`.
    package func reseal(_ sealed: [UInt8], of item: SealedItem) throws(MasterKeyError) -> [UInt8]? {
        if Self.open(sealed, of: item, under: [self.ring.known[0]]) != nil { return nil }
        return self.seal(try self.open(sealed, of: item), for: item)
    }
}

/// The keys of a master key as they are known now; there is always one.
private final class KeyRing: Sendable {
    private let keys: Mutex<[SymmetricKey]>
    private let reload: (@Sendable () -> MasterKey?)?

    init(_ keys: [SymmetricKey], reload: (@Sendable () -> MasterKey?)?) {
        self.keys = Mutex(keys)
        self.reload = reload
    }

    var known: [SymmetricKey] { self.keys.withLock { $0 } }

    /// The keys, once the source was asked whether it has others.
    func refreshed() -> [SymmetricKey] {
        guard let reload = self.reload else { return self.known }
        // Under the lock, so that no thread seals with the former key while another one reads the new one.
        return self.keys.withLock { keys in
            if let fresh = reload()?.ring.known { keys = fresh + keys.filter { !fresh.contains($0) } }
            return keys
        }
    }
}

// MARK: - Sealing

extension MasterKey {
    /// Encrypts bytes that open for the same item only.
    ///
    /// Every call draws a new nonce, so that sealing twice gives different bytes.
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    private func seal(_ clear: [UInt8], for item: SealedItem) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(clear, using: self.ring.refreshed()[0], authenticating: item.context)
            // Cannot trap: a sealed box has a combined form when its nonce has 12 bytes, as the default nonce does.
            guard let combined = box.combined else { preconditionFailure("a standard nonce always combines") }
            return Array(combined)
        } catch {
            // Cannot trap: sealing fails only for keys of other sizes; every initializer makes one of 256 bits.
            preconditionFailure("AES-GCM refused a 256-bit key and a fresh nonce: \(error)")
        }
    }

    /// Decrypts the result of ``seal(_:for:)``.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen` if the key differs, or the bytes were changed or belong to another
    ///   item; these cases cannot be distinguished.
    private func open(_ sealed: [UInt8], of item: SealedItem) throws(MasterKeyError) -> [UInt8] {
        let known = self.ring.known
        if let clear = Self.open(sealed, of: item, under: known) { return clear }
        let keys = self.ring.refreshed()
        if keys != known, let clear = Self.open(sealed, of: item, under: keys) { return clear }
        throw MasterKeyError(code: .cannotOpen, message: item.cannotOpen(under: keys.map(Self.id(of:))))
    }

    private static func open(_ sealed: [UInt8], of item: SealedItem, under keys: [SymmetricKey]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        for key in keys {
            if let clear = try? AES.GCM.open(box, using: key, authenticating: item.context) { return Array(clear) }
        }
        return nil
    }
}

extension MasterKey {
    /// Encrypts a credential's private part for the store.
    public func seal(_ material: CredentialMaterial, for credential: CredentialID) -> [UInt8] {
        self.seal(material.encoded, for: .credential(credential))
    }

    /// Decrypts a credential's private part.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen`.
    public func open(_ sealed: [UInt8], for credential: CredentialID) throws(MasterKeyError) -> CredentialMaterial {
        let clear = try self.open(sealed, of: .credential(credential))
        guard let material = CredentialMaterial(encoded: clear) else {
            throw MasterKeyError(
                code: .cannotOpen,
                message: "Credential '\(credential)' was sealed in a form that this version does not know. "
                    + "Add the credential again."
            )
        }
        return material
    }

    /// Encrypts the signing secret of an API key for the store.
    public func seal(_ secret: SigningSecret, for key: APIKeyID) -> [UInt8] {
        self.seal(Array(secret.text.utf8), for: .signingSecret(key))
    }

    /// Decrypts the signing secret of an API key; `nil` for a key that has none.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen`.
    public func signingSecret(of key: APIKey) throws(MasterKeyError) -> SigningSecret? {
        guard let sealed = key.sealedSigningSecret else { return nil }
        return SigningSecret(text: String(decoding: try self.open(sealed, of: .signingSecret(key.id)), as: UTF8.self))
    }

    /// Encrypts the key that signs deliveries to URLs, for the store.
    public func seal(deliveryKey keyPEM: String) -> [UInt8] {
        self.seal(Array(keyPEM.utf8), for: .deliveryIdentity)
    }

    /// Decrypts the key that signs deliveries to URLs.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen`.
    public func deliveryKey(_ sealed: [UInt8]) throws(MasterKeyError) -> String {
        String(decoding: try self.open(sealed, of: .deliveryIdentity), as: UTF8.self)
    }

    /// Encrypts a data key for the store.
    public func seal(dataKey bytes: [UInt8]) -> [UInt8] { self.seal(bytes, for: .dataKey) }

    /// Decrypts a data key.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen`.
    public func dataKey(_ sealed: [UInt8]) throws(MasterKeyError) -> DataKey {
        guard let key = DataKey(bytes: try self.open(sealed, of: .dataKey)) else {
            throw MasterKeyError(code: .cannotOpen, message: "The data key of the store is not one of 32 bytes.")
        }
        return key
    }

    /// Encrypts user and password of a subscribed URL for the store.
    public func seal(user: String, for subscription: SubscriptionID) -> [UInt8] {
        self.seal(Array(user.utf8), for: .subscriptionUser(subscription))
    }

    /// Decrypts user and password of a subscribed URL; `nil` for a subscription without sealed ones.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen`.
    public func user(of subscription: Subscription) throws(MasterKeyError) -> String? {
        guard let sealed = subscription.sealedUser else { return nil }
        return String(decoding: try self.open(sealed, of: .subscriptionUser(subscription.id)), as: UTF8.self)
    }

    /// Encrypts a webhook's secret for the store.
    public func seal(_ secret: WebhookSecret, for webhook: WebhookID) -> [UInt8] {
        self.seal(secret.bytes, for: .webhook(webhook))
    }

    /// Decrypts the secret of a webhook.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen`.
    public func secret(of webhook: Webhook) throws(MasterKeyError) -> WebhookSecret {
        WebhookSecret(bytes: try self.open(webhook.sealedSecret, of: .webhook(webhook.id)))
    }
}

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// A constant, so that no log ever holds the key.
    public var description: String { "master key (redacted)" }

    public var debugDescription: String { self.description }
}

/// Why a master key could not be read or did not open a credential.
public struct MasterKeyError: Error, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable {
        /// The text is not Base64 of 32 bytes.
        case malformed

        /// This key did not seal these bytes for this item.
        case cannotOpen
    }

    public let code: Code

    /// The failure and its fix; contains no secret.
    public let message: String

    init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(self.code.rawValue): \(self.message)" }
}

/// A record whose secret part the store keeps sealed under the master key.
public enum SealedItem: Hashable, Sendable {
    case credential(CredentialID)

    /// The secret that signs the requests of a webhook.
    case webhook(WebhookID)

    /// The secret of an access key, which signs requests to the SNS endpoint.
    case signingSecret(APIKeyID)

    /// User and password of a URL that is subscribed to a topic.
    case subscriptionUser(SubscriptionID)

    /// The key that signs deliveries to URLs. A store has at most one.
    case deliveryIdentity

    /// The key that seals device tokens and contents. A store has at most one.
    case dataKey
}

extension SealedItem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .credential(let id): "credential '\(id)'"
        case .webhook(let id): "the secret of webhook '\(id)'"
        case .signingSecret(let id): "the signing secret of the API key '\(id)'"
        case .subscriptionUser(let id): "the user of subscription '\(id)'"
        case .deliveryIdentity: "the key that signs deliveries to URLs"
        case .dataKey: "the data key of the store"
        }
    }
}

extension SealedItem {
    /// The bytes that AES-GCM authenticates, so that sealed bytes open only for their own record.
    var context: [UInt8] {
        switch self {
        case .credential(let id): Array("apus credential \(id.rawValue)".utf8)
        case .webhook(let id): Array("apus webhook \(id.rawValue)".utf8)
        case .signingSecret(let id): Array("apus signing secret \(id.rawValue)".utf8)
        case .subscriptionUser(let id): Array("apus subscription user \(id)".utf8)
        case .deliveryIdentity: Array("apus delivery identity".utf8)
        case .dataKey: Array("apus data key".utf8)
        }
    }

    /// The message of an error for sealed bytes that none of the keys opens.
    ///
    /// `keys` has the ids of these keys.
    func cannotOpen(under keys: [String]) -> String {
        let subject = self.description.prefix(1).uppercased() + self.description.dropFirst()
        let names = keys.joined(separator: " or ")
        return "\(subject) was sealed under another master key than \(names), or its bytes were changed.\(self.remedy)"
    }

    private var remedy: String {
        switch self {
        case .credential: " Start with the master key it was added under, or add the credential again."
        case .webhook: " Start with the master key it was created under, or create the webhook again."
        case .signingSecret: " Start with the master key it was created under, or create another key."
        case .subscriptionUser: " Start with that master key, or unsubscribe and subscribe again."
        case .deliveryIdentity: ""
        case .dataKey: " Start with that master key: nothing else opens the device tokens and contents of this store."
        }
    }
}
