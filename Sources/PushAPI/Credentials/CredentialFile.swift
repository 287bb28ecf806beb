// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the file that a credential refers to, as far as it is needed to inspect it.
enum CredentialFile {
    /// No key and no certificate is larger.
    private static let maximumBytes = 1 << 20

    /// The content of the files.
    ///
    /// - Throws: ``CredentialRefusal`` when one of them cannot be read; it does not tell a missing file from a
    ///   forbidden one, because callers may not learn what else the server has.
    static func read(_ path: String, passwordPath: String?) throws(CredentialRefusal) -> CredentialMaterial {
        let content = try self.bytes(of: path)
        guard let passwordPath else { return CredentialMaterial(content: content) }
        let password = String(decoding: try self.bytes(of: passwordPath), as: UTF8.self)
        return CredentialMaterial(content: content, password: password.filter { !$0.isNewline })
    }

    private static func bytes(of path: String) throws(CredentialRefusal) -> [UInt8] {
        guard path.hasPrefix("/") else {
            throw CredentialRefusal(code: .unreadable, found: "a path that does not begin with '/'")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= self.maximumBytes else {
            throw CredentialRefusal(code: .unreadable, found: "a file that the server cannot read")
        }
        return Array(data)
    }
}
