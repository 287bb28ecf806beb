// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport

/// JSON objects on the command line: the text itself, or `@` and the name of a file with it.
///
/// Their bytes are sent unchanged.
enum JSONArgument {
    /// The help text about the form of an object.
    static let form = "as JSON; @FILE reads a file, and @- standard input"

    static func readsStandardInput(_ text: String?) -> Bool { text == "@-" }

    /// Returns the object of an option.
    ///
    /// - Throws: ``CommandError`` `.bad_json` if it is not an object, `.unreadable_file`.
    static func fragment(_ text: String, of flag: String) throws -> RawJSONObject {
        let bytes = text.hasPrefix("@") ? Array(try InputFile.bytes(String(text.dropFirst()))) : Array(text.utf8)
        do {
            return try RawJSONObject(json: bytes)
        } catch {
            throw CommandError("bad_json", "\(flag): expected a JSON object, got \(error.value).", cause: error)
        }
    }
}

extension JSONValue {
    /// Reads JSON from an option or a file.
    ///
    /// - Throws: ``CommandError`` `bad_json`.
    init(text bytes: some Sequence<UInt8>, of source: String) throws {
        do {
            self = try JSONValue(json: Array(bytes))
        } catch {
            throw CommandError("bad_json", "\(source) is not JSON: \(error.message)", cause: error)
        }
    }
}

extension String {
    /// The parts before and after the first `=`; `nil` without one.
    var assignment: (String, String)? {
        let parts = self.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
