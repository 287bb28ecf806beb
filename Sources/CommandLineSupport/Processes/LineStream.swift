// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The lines of a pipe, for one reader.
///
/// A separate thread reads them; it ends with the pipe.
final class LineStream: Sendable {
    private let iterator: LineIterator

    /// Begins to read; the lines wait until they are asked for.
    init(_ handle: FileHandle) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.iterator = LineIterator(lines)
        Thread.detachNewThread {
            var splitter = LineSplitter()
            while let data = handle.nextBytes() {
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

/// Splits bytes into lines; bytes after the last line feed are kept, and become a line at the end.
///
/// It reads each byte once, regardless of the length of a line.
package struct LineSplitter {
    /// The maximum length of a line in a response.
    private static let maximumLine = 16 << 20

    private var rest = Data()

    package init() {}

    /// Takes bytes.
    ///
    /// - Returns: the lines that ended in them, without their line feeds.
    package mutating func feed(_ data: Data) -> [String] {
        var lines: [String] = []
        var piece = data
        while let end = piece.firstIndex(of: UInt8(ascii: "\n")) {
            self.rest.append(piece[..<end])
            lines.append(String(decoding: self.rest, as: UTF8.self))
            self.rest = Data()
            piece = piece[piece.index(after: end)...]
        }
        self.rest.append(piece)
        return lines
    }

    /// Refuses a line that does not end: it would fill the memory.
    ///
    /// - Throws: ``CommandError`` `.unexpected_response`.
    package func checkLength() throws {
        guard self.rest.count > Self.maximumLine else { return }
        let message = "A line of the response has more than 16 MiB. Is there an Apus server at the URL?"
        throw CommandError("unexpected_response", message)
    }

    /// Returns the bytes after the last line feed, at the end of the input.
    mutating func finish() -> String? {
        defer { self.rest = Data() }
        return self.rest.isEmpty ? nil : String(decoding: self.rest, as: UTF8.self)
    }
}

extension FileHandle {
    /// Waits for bytes and returns those that there are; `nil` at the end, and where the system refuses to read.
    ///
    /// Foundation's `availableData` ends the program where it refuses, as for a directory or a closed stream.
    package func nextBytes() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let descriptor = self.fileDescriptor
            let count = buffer.withUnsafeMutableBytes { Self.read(descriptor, $0) }
            if count > 0 { return Data(buffer.prefix(count)) }
            guard count < 0 else { return nil }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Another process that shares the stream has made it non-blocking; wait until there are bytes.
                var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wish, 1, -1)
            default: return nil
            }
        }
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Darwin)
        Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}
