// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Synchronization

/// The lines that come out of a pipe, for one reader.
final class LineStream: Sendable {
    private let handle: FileHandle
    private let iterator: LineIterator

    /// Begins to read; the lines wait until they are asked for.
    init(_ handle: FileHandle) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let splitter = LineSplitter()
        self.handle = handle
        self.iterator = LineIterator(lines)
        handle.readabilityHandler = { handle in
            let data = handle.availableData
            for line in splitter.feed(data) { continuation.yield(line) }
            if data.isEmpty {
                handle.readabilityHandler = nil
                continuation.finish()
            }
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
private final class LineSplitter: Sendable {
    private let rest = Mutex(Data())

    /// Takes what was read; nothing read means the end.
    func feed(_ data: Data) -> [String] {
        self.rest.withLock { rest in
            rest.append(data)
            var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let last = lines.popLast() ?? Data()
            rest = Data(last)
            if data.isEmpty, !rest.isEmpty {
                lines.append(rest)
                rest = Data()
            }
            return lines.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
