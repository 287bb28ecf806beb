// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// Files that are named on the command line; `-` is standard input.
enum InputFile {
    /// - Throws: ``CommandFailure`` `.unreadable_file`.
    static func bytes(_ path: String) throws -> Data {
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
    static func text(_ path: String) throws -> String {
        guard let text = String(bytes: try self.bytes(path), encoding: .utf8) else {
            throw CommandFailure("unreadable_file", "\(path) is not a text file in UTF-8.")
        }
        return text
    }
}

/// JSON objects that are given on the command line: the text itself, or `@` and the name of a file that holds it.
///
/// Their bytes are sent as they are.
enum JSONObjectInput {
    /// What help says of how an object is given.
    static let form = "as JSON; @FILE reads a file, and @- standard input"

    static func readsStandardInput(_ text: String?) -> Bool { text == "@-" }

    /// The object that a flag gives.
    ///
    /// - Throws: ``CommandFailure`` `.bad_json` for anything but an object, `.unreadable_file`.
    static func fragment(_ text: String, of flag: String) throws -> JSONFragment {
        let bytes = text.hasPrefix("@") ? Array(try InputFile.bytes(String(text.dropFirst()))) : Array(text.utf8)
        do {
            return try JSONFragment(json: bytes)
        } catch {
            throw CommandFailure("bad_json", "\(flag) has to be a JSON object; got \(error.value).", cause: error)
        }
    }
}
