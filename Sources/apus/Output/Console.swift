// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Where words go: results to standard output, everything else to standard error.
enum Console {
    /// Writes a line of the result; it is out when this returns, also into a pipe.
    ///
    /// When nobody reads the result any more the process ends quietly, by SIGPIPE; when it cannot be written for another
    /// reason, with that and status 1.
    static func out(_ line: String) { Self.out(bytes: Array("\(line)\n".utf8)) }

    /// Writes a piece of the result as it is; see ``out(_:)``.
    static func out(bytes: some ContiguousBytes) {
        do {
            try StandardStream.output.write(bytes)
        } catch {
            switch error {
            case .readerGone: StandardStream.endForLostReader()
            case .system(let number):
                Self.note("apus: Standard output cannot be written: \(String(cString: strerror(number))).")
                exit(1)
            }
        }
    }

    /// Writes a line by which a process that stays says that it works; without a reader it works all the same.
    static func announce(_ line: String) { try? StandardStream.output.write("\(line)\n") }

    /// Writes a line for the person who watches, if one does.
    static func note(_ line: String) { try? StandardStream.errors.write("\(line)\n") }

    /// Writes a value as one line of JSON, with its members in the order of their names.
    static func json(_ value: some Encodable) throws { Self.out(try Self.line(value)) }

    /// Writes a value as one line of JSON by which a process that stays says that it works.
    static func announce(json value: some Encodable) throws { Self.announce(try Self.line(value)) }

    private static func line(_ value: some Encodable) throws -> String {
        String(decoding: try JSON.encoder.encode(value), as: UTF8.self)
    }
}
