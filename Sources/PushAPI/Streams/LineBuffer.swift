// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// Cuts what comes in into lines, and keeps no more of it than one line may be long.
struct LineBuffer {
    /// A line without the line feed at its end.
    enum Line: Hashable {
        /// It stands there among the ``bytes``.
        case text(Range<Int>)

        /// It was longer than allowed; nothing of it was kept.
        case overlong
    }

    /// What came in and was not cut yet, after what was.
    private(set) var bytes: [UInt8] = []

    private let maximum: Int
    private var start = 0
    private var isOverlong = false

    /// - Parameter maximum: how many bytes a line may have.
    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Adds what came in; all lines before were taken.
    mutating func append(_ part: ByteBuffer) {
        self.bytes.removeSubrange(..<self.start)
        self.start = 0
        self.bytes.append(contentsOf: part.readableBytesView)
    }

    /// Takes the next line; `nil` when it has not ended yet.
    mutating func next() -> Line? {
        guard let end = self.lineFeed() else {
            if self.bytes.count - self.start > self.maximum {
                self.isOverlong = true
                self.start = self.bytes.count
            }
            return nil
        }
        return self.take(to: end)
    }

    /// Takes what follows the last line feed once nothing more comes; `nil` when there is nothing.
    mutating func finish() -> Line? {
        guard self.isOverlong || self.start < self.bytes.count else { return nil }
        return self.take(to: self.bytes.count)
    }

    private mutating func take(to end: Int) -> Line {
        defer {
            self.start = min(end + 1, self.bytes.count)
            self.isOverlong = false
        }
        return self.isOverlong || end - self.start > self.maximum ? .overlong : .text(self.start..<end)
    }

    private func lineFeed() -> Int? {
        self.bytes.withUnsafeBufferPointer { bytes in
            bytes[self.start...].firstIndex(of: UInt8(ascii: "\n"))
        }
    }
}
