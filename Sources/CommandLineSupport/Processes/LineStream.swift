// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

/// The lines that come out of a pipe, for one reader.
///
/// A thread of its own reads them; it ends with the pipe.
final class LineStream: Sendable {
    private let iterator: LineIterator

    /// Begins to read; the lines wait until they are asked for.
    init(_ handle: FileHandle) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.iterator = LineIterator(lines)
        Thread.detachNewThread {
            var splitter = LineSplitter()
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                for line in splitter.feed(data) { continuation.yield(line) }
            }
            if let line = splitter.finish() { continuation.yield(line) }
            continuation.finish()
        }
    }

    /// The next line without its line feed; `nil` at the end.
    func next() async -> String? { await self.iterator.next() }
}

/// Serialises the readers of a stream.
private actor LineIterator {
    private var iterator: AsyncStream<String>.Iterator

    init(_ lines: AsyncStream<String>) {
        self.iterator = lines.makeAsyncIterator()
    }

    func next() async -> String? {
        var iterator = self.iterator
        let line = await iterator.next(isolation: #isolation)
        self.iterator = iterator
        return line
    }
}

/// Cuts bytes into lines; the bytes behind the last line feed wait for more, and are a line at the end.
package struct LineSplitter {
    private var rest = Data()

    package init() {}

    /// Takes bytes.
    ///
    /// - Returns: the lines that ended in them, without their line feeds.
    package mutating func feed(_ data: Data) -> [String] {
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
