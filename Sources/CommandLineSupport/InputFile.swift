// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

/// Files that are named on the command line; `-` is standard input.
package enum InputFile {
    /// - Throws: ``CommandFailure`` `.unreadable_file`.
    package static func bytes(_ path: String) throws -> Data {
        do {
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

    /// - Throws: ``CommandFailure`` `.unreadable_file`, also for bytes that are not UTF-8.
    package static func text(_ path: String) throws -> String {
        guard let text = String(bytes: try self.bytes(path), encoding: .utf8) else {
            throw CommandFailure("unreadable_file", "\(path) is not a text file in UTF-8.")
        }
        return text
    }
}
