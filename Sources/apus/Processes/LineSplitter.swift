// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Cuts bytes into lines; the bytes behind the last line feed wait for more, and are a line at the end.
struct LineSplitter {
    private var rest = Data()

    /// Takes bytes.
    ///
    /// - Returns: the lines that ended in them, without their line feeds.
    mutating func feed(_ data: Data) -> [String] {
        self.rest.append(data)
        var lines = self.rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        self.rest = Data(lines.popLast() ?? Data())
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Takes what is behind the last line feed, when nothing more comes.
    mutating func finish() -> String? {
        defer { self.rest = Data() }
        return self.rest.isEmpty ? nil : String(decoding: self.rest, as: UTF8.self)
    }
}
