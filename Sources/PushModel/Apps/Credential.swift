// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Authenticates an app's notifications to APNs.
public struct Credential: Hashable, Sendable {
    public let id: CredentialID
    public let app: AppID
    public var kind: CredentialKind

    /// The APNs environments in which it may be used; never empty in a store.
    public var environments: Set<APNsEnvironment>

    public var secret: CredentialSecret

    /// When it was added; of two that fit, the younger is used.
    ///
    /// Kept to the millisecond.
    public let createdAt: Date

    public init(
        id: CredentialID,
        app: AppID,
        kind: CredentialKind,
        environments: Set<APNsEnvironment> = [.sandbox, .production],
        secret: CredentialSecret,
        createdAt: Date
    ) {
        self.id = id
        self.app = app
        self.kind = kind
        self.environments = environments
        self.secret = secret
        self.createdAt = createdAt
    }
}

/// The two ways in which APNs trusts a provider, with the public part of each.
public enum CredentialKind: Hashable, Sendable, Codable {
    /// A provider key (`.p8`) that signs provider tokens: its key id and its team's id, 10 characters each.
    case key(keyID: String, teamID: String)

    /// A client certificate with its private key, in the given container.
    case certificate(format: CertificateFormat)
}

/// The container in which a client certificate and its private key are kept.
public enum CertificateFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// A text file with the certificate, its chain and its unencrypted private key.
    case pem

    /// A PKCS #12 file (`.p12`), usually with a password.
    case pkcs12
}

/// Where the private part of a credential is kept; it is never stored in the clear.
public enum CredentialSecret: Hashable, Sendable {
    /// In a file that the delivering process reads; its password, if it has one, is in a separate file.
    case file(path: String, passwordPath: String? = nil)

    /// In the store, as ``CredentialMaterial`` sealed by ``MasterKey/seal(_:for:)``.
    case sealed([UInt8])
}

extension CredentialSecret: CustomStringConvertible {
    /// The location of the secret, never the secret itself.
    public var description: String {
        switch self {
        case .file(let path, _): "file \(path)"
        case .sealed(let bytes): "sealed, \(bytes.count) bytes"
        }
    }
}

/// The private part of a credential in plain text, which a master key seals.
public struct CredentialMaterial: Hashable, Sendable {
    /// The content of the `.p8`, `.pem` or `.p12` file, byte for byte.
    public var content: [UInt8]

    /// The password of a `.p12` file; `nil` means that there is none, which is not the empty password.
    public var password: String?

    public init(content: [UInt8], password: String? = nil) {
        self.content = content
        self.password = password
    }
}

extension CredentialMaterial: CustomStringConvertible, CustomDebugStringConvertible {
    /// The size alone, so that no log ever holds a key.
    public var description: String { "credential material, \(self.content.count) bytes" }

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
