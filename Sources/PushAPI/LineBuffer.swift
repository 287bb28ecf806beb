// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

/// Splits input into lines, and buffers at most the maximum length of one line.
struct LineBuffer {
    /// A line without the line feed at its end.
    enum Line: Hashable {
        /// The line is at this range of ``bytes``.
        case text(Range<Int>)

        /// It was longer than allowed; nothing of it was kept.
        case overlong
    }

    /// The lines that were split, followed by the rest of the input.
    private(set) var bytes: [UInt8] = []

    private let maximum: Int

    /// Whether line feeds within quotation marks belong to the line (RFC 4180).
    ///
    /// If a quotation mark is not closed within `maximum` bytes, its line ends at its first line feed.
    private let quotation: Bool

    private var start = 0
    private var isOverlong = false

    /// The number of bytes that were searched for the end of the line.
    private var scanned = 0
    private var quote = QuoteState.atCellStart

    /// The end of the last scan that ended within quotation marks; every line feed in that scan was within them.
    ///
    /// A later scan that meets one of these line feeds within quotation marks continues here, since the bytes between
    /// were scanned in the same state. So quotation marks that are not closed do not cause repeated scans.
    private var quotedThrough = 0

    /// The state of the search within a line, in a format where line feeds may be quoted.
    private enum QuoteState {
        case atCellStart
        case inCell
        case quoted
        case behindQuote
    }

    init(maximum: Int, quotation: Bool = false) {
        self.maximum = maximum
        self.quotation = quotation
    }

    /// Appends input; the caller has taken all earlier lines.
    mutating func append(_ part: ByteBuffer) {
        self.bytes.removeSubrange(..<self.start)
        self.scanned -= self.start
        self.quotedThrough = max(0, self.quotedThrough - self.start)
        self.start = 0
        self.bytes.append(contentsOf: part.readableBytesView)
    }

    /// Takes the next line; `nil` when it has not ended yet.
    mutating func next() -> Line? {
        if let end = self.lineEnd() { return self.take(to: end) }
        guard self.bytes.count - self.start > self.maximum else { return nil }
        if let end = self.unclosedLineEnd() { return self.take(to: end) }
        self.isOverlong = true
        self.start = self.bytes.count
        return nil
    }

    /// Returns the bytes after the last line feed at the end of the input; `nil` if there are none.
    ///
    /// With an unclosed quotation mark there may be several lines: call it until it returns `nil`.
    mutating func finish() -> Line? {
        if let line = self.next() { return line }
        guard self.isOverlong || self.start < self.bytes.count else { return nil }
        let end = self.unclosedLineEnd() ?? self.bytes.count
        return self.take(to: end)
    }

    private mutating func take(to end: Int) -> Line {
        defer {
            self.start = min(end + 1, self.bytes.count)
            self.scanned = self.start
            self.quote = .atCellStart
            self.isOverlong = false
        }
        return self.isOverlong || end - self.start > self.maximum ? .overlong : .text(self.start..<end)
    }

    private mutating func lineEnd() -> Int? {
        let from = max(self.scanned, self.start)
        self.scanned = self.bytes.count
        // Nothing is kept of a line that is too long: a mark in the rest of it opens nothing.
        guard self.quotation, !self.isOverlong else { return self.lineFeed(from: from) }
        return self.unquotedLineFeed(from: from)
    }

    /// Where a line ends whose quotation mark was not closed.
    private mutating func unclosedLineEnd() -> Int? {
        guard self.quote == .quoted else { return nil }
        self.quotedThrough = self.bytes.count
        return self.lineFeed(from: self.start)
    }

    private func lineFeed(from start: Int) -> Int? {
        self.bytes.withUnsafeBufferPointer { bytes in
            bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
        }
    }

    private mutating func unquotedLineFeed(from start: Int) -> Int? {
        var quote = self.quote
        defer { self.quote = quote }
        let quotedThrough = self.quotedThrough
        return self.bytes.withUnsafeBufferPointer { bytes in
            var index = start
            while index < bytes.count {
                switch (bytes[index], quote) {
                case (UInt8(ascii: "\""), .quoted): quote = .behindQuote
                case (UInt8(ascii: "\""), .atCellStart), (UInt8(ascii: "\""), .behindQuote): quote = .quoted
                case (UInt8(ascii: "\n"), .quoted) where index < quotedThrough:
                    index = quotedThrough
                    continue
                case (_, .quoted): break
                case (UInt8(ascii: "\n"), _): return index
                case (UInt8(ascii: ","), _): quote = .atCellStart
                default: quote = .inCell
                }
                index += 1
            }
            return nil
        }
    }
}

extension Problem {
    /// How many faults a line of an answer lists: there may be as many such lines as lines were sent.
    private static let maximumLineFaults = 4

    /// The problem as a member of a response line: its code, its detail, and the first error; if there are several, the
    /// first few in `errors`.
    var lineJSON: [UInt8] {
        var members: [String: JSONValue] = [
            "code": .string(self.code.rawValue), "detail": .string(String(self.detail.prefix(500))),
        ]
        if let fault = self.faults.first {
            members["field"] = .string(fault.field)
            members["expected"] = .string(fault.rule)
            members["actual"] = .string(fault.value.shortened(to: 80))
        }
        if self.faults.count > 1 {
            members["errors"] = .array(
                self.faults.prefix(Self.maximumLineFaults).map { fault in
                    [
                        "field": .string(String(fault.field.prefix(200))), "expected": .string(fault.rule),
                        "actual": .string(fault.value.shortened(to: 80)),
                    ]
                }
            )
        }
        return (try? JSONValue.object(members).json()) ?? Array("{}".utf8)
    }

    static func lineTooLong(limit: Int) -> Problem {
        Problem(.lineTooLong, at: .root, expected: "at most \(limit) bytes in a line", got: "more")
    }
}
