// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The private part of a credential in the clear: what a master key seals.
public struct CredentialMaterial: Hashable, Sendable {
    /// The content of the `.p8`, `.pem` or `.p12` file, byte for byte.
    public var content: [UInt8]

    /// The password of a `.p12` file; `nil` means that there is none, which is not the empty password.
    public var password: String?

    /// Takes a file's content and its password.
    public init(content: [UInt8], password: String? = nil) {
        self.content = content
        self.password = password
    }
}

extension CredentialMaterial: CustomStringConvertible, CustomDebugStringConvertible {
    /// The size alone, so that no log ever holds a key.
    public var description: String { "credential material, \(self.content.count) bytes" }

    /// See ``description``.
    public var debugDescription: String { self.description }
}

extension CredentialMaterial {
    /// One byte that says whether there is a password, its length in two bytes and the password, then the content.
    var encoded: [UInt8] {
        guard let password else { return [0] + self.content }
        let bytes = Array(password.utf8.prefix(Int(UInt16.max)))
        return [1, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes + self.content
    }

    init?(encoded: [UInt8]) {
        switch encoded.first {
        case 0:
            self.init(content: Array(encoded.dropFirst()))
        case 1 where encoded.count >= 3:
            let end = 3 + (Int(encoded[1]) << 8 | Int(encoded[2]))
            guard end <= encoded.count else { return nil }
            self.init(content: Array(encoded[end...]), password: String(decoding: encoded[3..<end], as: UTF8.self))
        default:
            return nil
        }
    }
}
