// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

/// Files that are named on the command line; `-` is standard input.
package enum InputFile {
    /// Reads a file; a note says so where it is a secret and other users of the machine can read it.
    ///
    /// - Throws: ``CommandFailure`` `.unreadable_file`.
    package static func bytes(_ path: String, isSecret: Bool = false) throws -> Data {
        do {
            if isSecret, let warning = FilePermissions.warning(about: path) { Console.note(warning) }
            guard path == "-" else { return try Data(contentsOf: URL(fileURLWithPath: path)) }
            return try FileHandle.standardInput.readToEnd() ?? Data()
        } catch {
            throw CommandFailure(
                "unreadable_file",
                "\(path) cannot be read: \(error.localizedDescription)",
                cause: error
            )
        }
    }

    /// Reads a text file, as ``bytes(_:isSecret:)`` does.
    ///
    /// - Throws: ``CommandFailure`` `.unreadable_file`, also for bytes that are not UTF-8.
    package static func text(_ path: String, isSecret: Bool = false) throws -> String {
        guard let text = String(bytes: try self.bytes(path, isSecret: isSecret), encoding: .utf8) else {
            throw CommandFailure("unreadable_file", "\(path) is not a text file in UTF-8.")
        }
        return text
    }
}
