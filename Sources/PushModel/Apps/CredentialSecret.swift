// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where the private part of a credential is kept; it is never stored in the clear.
public enum CredentialSecret: Hashable, Sendable {
    /// In a file that the delivering process reads, whose password, if it has one, is in a file of its own.
    case file(path: String, passwordPath: String? = nil)

    /// In the store, as ``CredentialMaterial`` sealed by ``MasterKey/seal(_:for:)``.
    case sealed([UInt8])
}

extension CredentialSecret: CustomStringConvertible {
    /// Where the secret is, never what it is.
    public var description: String {
        switch self {
        case .file(let path, _): "file \(path)"
        case .sealed(let bytes): "sealed, \(bytes.count) bytes"
        }
    }
}
