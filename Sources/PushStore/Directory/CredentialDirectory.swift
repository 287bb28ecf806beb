// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import PushModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The only directory that credentials in files are read from.
///
/// The API and delivery read them here, so a caller of the API cannot have the server read any other file.
package struct CredentialDirectory: Hashable, Sendable {
    /// The largest file that is read, in bytes; keys and certificates are smaller.
    package static let maximumBytes = 64 << 10

    private let path: String?

    /// The directory at a path, which starts at the working directory if it is relative; `nil` refuses every file.
    package init(_ path: String?) {
        self.path = path.map { URL(fileURLWithPath: $0, isDirectory: true).absoluteURL.path }
    }

    /// Reads a credential and its password, without the line break that editors add to its end.
    package func read(_ path: String, passwordPath: String?) throws(CredentialFileError) -> CredentialMaterial {
        let content = try self.content(of: path)
        guard let passwordPath else { return CredentialMaterial(content: content) }
        let password = String(decoding: try self.content(of: passwordPath), as: UTF8.self)
        let hasLineBreak = password.last?.isNewline ?? false
        return CredentialMaterial(content: content, password: String(password.dropLast(hasLineBreak ? 1 : 0)))
    }

    /// The content of a file in the directory or below it.
    ///
    /// A path outside of the directory is refused before the file system is asked, so that the error does not reveal
    /// which files the server has.
    private func content(of path: String) throws(CredentialFileError) -> [UInt8] {
        let root = self.path.flatMap(Self.resolve)
        let isBelow = [self.path, root].contains { Self.starts(path, in: $0) }
        let hasParent = path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
        guard isBelow, !hasParent else { throw CredentialFileError(code: .outside, path: path) }
        guard let target = Self.resolve(path) else { throw CredentialFileError(code: .unreadable, path: path) }
        guard Self.starts(target, in: root) else { throw CredentialFileError(code: .outside, path: path) }
        let content = RegularFile.content(of: target, maximumBytes: Self.maximumBytes, followsLinks: false)
        guard let content else { throw CredentialFileError(code: .unreadable, path: path) }
        return content
    }

    /// Whether a path starts with a directory, byte for byte.
    private static func starts(_ path: String, in directory: String?) -> Bool {
        guard let directory else { return false }
        return path.utf8.starts(with: (directory + "/").utf8)
    }

    /// The absolute path without symbolic links; `nil` if there is no such file.
    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

package struct CredentialFileError: Error, Hashable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The path, or the target of a symbolic link in it, is outside of the directory.
        case outside

        /// There is no regular file, it is too large, or the server may not read it.
        case unreadable
    }

    package let code: Code
    package let path: String

    package init(code: Code, path: String) {
        self.code = code
        self.path = path
    }

    /// The value that was found, as a phrase that follows "got".
    package var found: String {
        switch self.code {
        case .outside: "a path outside of the directory 'credentialDirectory' (configuration)"
        case .unreadable: "no regular file of at most 64 KiB that the server can read"
        }
    }

    package var description: String { "\(self.path) is \(self.found)" }
}
