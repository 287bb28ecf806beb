// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Where words go: results to standard output, everything else to standard error.
enum Console {
    /// Writes a line of the result; it is out when this returns, also into a pipe.
    static func out(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// Writes a line for the person who watches.
    static func note(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }

    /// Writes a value as one line of JSON, with its members in the order of their names.
    static func json(_ value: some Encodable) throws {
        Self.out(String(decoding: try JSON.encoder.encode(value), as: UTF8.self))
    }
}
