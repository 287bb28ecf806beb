// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation

/// Seals the device tokens and the contents of pushes in a store, with AES-256-GCM.
///
/// The store has its 32 bytes sealed under the master key. So a rotation of the master key seals only the data key
/// again, and leaves the rows unchanged.
///
/// Equal tokens are sealed to equal bytes, because the database compares them and has a unique index of them. Their
/// nonce is derived from the token. Contents have random nonces.
public final class DataKey: Sendable {
    /// A key for each purpose, derived from the data key: AES-GCM must not get a nonce of another origin.
    private let tokens: SymmetricKey
    private let nonces: SymmetricKey
    private let contents: SymmetricKey

    /// Takes the result of ``generate()``; `nil` for another number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        let key = SymmetricKey(data: bytes)
        func derived(for purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
        }
        self.tokens = derived(for: "apus device tokens at rest")
        self.nonces = derived(for: "apus nonces of device tokens at rest")
        self.contents = derived(for: "apus contents at rest")
    }

    /// Draws the bytes of a new key from the system's random numbers.
    public static func generate() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }

    fileprivate func seal(token: [UInt8]) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(for: token, using: self.nonces)
        return self.seal(token, .token) { try AES.GCM.Nonce(data: Array(code).prefix(12)) }
    }

    fileprivate func seal(content: [UInt8]) -> [UInt8] { self.seal(content, .content) { AES.GCM.Nonce() } }

    private func seal(_ clear: [UInt8], _ form: StoredForm, _ nonce: () throws -> AES.GCM.Nonce) -> [UInt8] {
        do {
            let key = form == .token ? self.tokens : self.contents
            let box = try AES.GCM.seal(clear, using: key, nonce: nonce(), authenticating: form.head)
            var sealed: [UInt8] = []
            sealed.reserveCapacity(StoredForm.overhead + clear.count)
            sealed += form.head
            // By their memory: appended as sequences, they cost several times as much.
            box.nonce.withUnsafeBytes { sealed += $0 }
            box.ciphertext.withUnsafeBytes { sealed += $0 }
            box.tag.withUnsafeBytes { sealed += $0 }
            return sealed
        } catch {
            // Cannot trap: sealing fails only for keys and nonces of other sizes; these have 32 and 12 bytes.
            preconditionFailure("AES-GCM refused a 256-bit key and a nonce of 12 bytes: \(error)")
        }
    }

    fileprivate func open(_ sealed: ArraySlice<UInt8>, _ form: StoredForm) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        let key = form == .token ? self.tokens : self.contents
        return (try? AES.GCM.open(box, using: key, authenticating: form.head)).map { Array($0) }
    }
}

extension DataKey: CustomStringConvertible {
    /// A constant, so that no log ever holds the key.
    public var description: String { "data key (redacted)" }
}

/// The form in which a device token or a content is stored.
///
/// A value without ``mark`` is plain. After the mark comes the byte of the form. A plain value that begins with the mark
/// is stored after the mark of ``plain``. So the first bytes decide the form, whatever a client sends as a token.
enum StoredForm: UInt8 {
    case plain
    case token
    case content

    /// No JSON text and no list of targets begins with these bytes.
    static let mark: [UInt8] = [0xA7, 0xC1, 0x5E, 0x03, 0x9D, 0xE8, 0x71]
    private static let tokenHead = Self.mark + [Self.token.rawValue]
    private static let contentHead = Self.mark + [Self.content.rawValue]

    /// The additional size of a sealed value: the mark, the form, the nonce and the tag.
    static let overhead = 7 + 1 + 12 + 16

    var head: [UInt8] {
        switch self {
        case .plain: Self.mark + [self.rawValue]
        case .token: Self.tokenHead
        case .content: Self.contentHead
        }
    }

    /// Begins a text that is the Base64 form of stored bytes; JSON does not begin with it.
    static let textMark = "sealed:"

    static func isMarked(_ bytes: [UInt8]) -> Bool { bytes.first == self.mark[0] && bytes.starts(with: self.mark) }
}

/// Converts tokens and contents to their stored form and back.
///
/// Without a data key they are stored in plain form. Both forms are readable.
public enum StoredContent {
    public static func token(_ clear: [UInt8], under key: DataKey?) -> [UInt8] {
        key?.seal(token: clear) ?? self.plain(clear)
    }

    public static func bytes(_ clear: [UInt8], under key: DataKey?) -> [UInt8] {
        key?.seal(content: clear) ?? self.plain(clear)
    }

    public static func text(_ clear: String, under key: DataKey?) -> String {
        guard key != nil || clear.hasPrefix(StoredForm.textMark) else { return clear }
        let bytes = Array(clear.utf8)
        let stored = key?.seal(content: bytes) ?? StoredForm.plain.head + bytes
        return StoredForm.textMark + Data(stored).base64EncodedString()
    }

    private static func plain(_ clear: [UInt8]) -> [UInt8] {
        StoredForm.isMarked(clear) ? StoredForm.plain.head + clear : clear
    }

    /// Whether stored bytes are sealed.
    public static func isSealed(_ stored: [UInt8]) -> Bool {
        StoredForm.isMarked(stored) && stored.dropFirst(StoredForm.mark.count).first != StoredForm.plain.rawValue
    }

    /// Whether a stored text is sealed.
    public static func isSealed(_ stored: String) -> Bool {
        guard stored.hasPrefix(StoredForm.textMark) else { return false }
        let bytes = Data(base64Encoded: String(stored.dropFirst(StoredForm.textMark.count)))
        return bytes.map { self.isSealed([UInt8]($0)) } ?? true
    }

    /// Returns the token or content of stored bytes.
    ///
    /// - Throws: ``DataKeyError``.
    public static func open(_ stored: [UInt8], under key: DataKey?) throws(DataKeyError) -> [UInt8] {
        guard StoredForm.isMarked(stored) else { return stored }
        let rest = stored.dropFirst(StoredForm.mark.count + 1)
        switch stored.dropFirst(StoredForm.mark.count).first.flatMap(StoredForm.init) {
        case .plain: return Array(rest)
        case let form?:
            guard let key else { throw .missing }
            guard let clear = key.open(rest, form) else { throw .cannotOpen }
            return clear
        case nil: throw .cannotOpen
        }
    }

    /// Returns the content of a stored text.
    ///
    /// - Throws: ``DataKeyError``.
    public static func open(_ stored: String, under key: DataKey?) throws(DataKeyError) -> String {
        guard stored.hasPrefix(StoredForm.textMark) else { return stored }
        guard let bytes = Data(base64Encoded: String(stored.dropFirst(StoredForm.textMark.count))) else {
            throw .cannotOpen
        }
        let array = [UInt8](bytes)
        // Only stored bytes with the mark are written in this form.
        guard StoredForm.isMarked(array) else { throw .cannotOpen }
        return String(decoding: try self.open(array, under: key), as: UTF8.self)
    }
}

public enum DataKeyError: Error, Hashable {
    /// The value is sealed, and the process has no data key.
    case missing

    /// Another key sealed the value, or its bytes were changed.
    case cannotOpen
}
