// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The status of lines of a stream, packed end to end without an allocation for each line.
///
/// ``encoded`` is the compact stored form: the number of the format (1), then for each line the size of its name (one
/// byte) and its kind (0 empty, 1 accepted, 2 rejected); for an accepted line, the batch's ordinal and the target's
/// index (16 bits each); for a rejected line, the size of the error (16 bits); and then the bytes of the name and the
/// error.
public struct StreamLineList: Hashable, Sendable {
    public static let maximumNameBytes = 128
    public static let maximumRefusalBytes = Int(UInt16.max)

    /// The status of a line.
    public enum Fate: Hashable, Sendable {
        case empty

        /// It is this target of this batch of the chunk's notification.
        case accepted(ordinal: Int, index: Int)

        /// It was refused, for the reason that these bytes give.
        case refused(ArraySlice<UInt8>)
    }

    public struct Line: Hashable, Sendable {
        /// The caller's name for the line, as the content of a JSON string; empty if it has none.
        public var name: ArraySlice<UInt8>

        public var fate: Fate

        public init(name: ArraySlice<UInt8> = [], fate: Fate) {
            self.name = name
            self.fate = fate
        }
    }

    private static let format: UInt8 = 1
    public private(set) var encoded: [UInt8] = [Self.format]
    private var starts: [UInt32] = []

    public init() {}

    /// Adds a line at the end; its name has at most ``maximumNameBytes``.
    public mutating func append(_ line: Line) {
        let name = line.name.prefix(Self.maximumNameBytes)
        self.starts.append(UInt32(self.encoded.count))
        self.encoded.append(UInt8(name.count))
        var refusal: ArraySlice<UInt8> = []
        switch line.fate {
        case .empty: self.encoded.append(0)
        case .accepted(let ordinal, let index):
            self.encoded.append(1)
            self.append(ordinal)
            self.append(index)
        case .refused(let bytes):
            refusal = bytes.prefix(Self.maximumRefusalBytes)
            self.encoded.append(2)
            self.append(refusal.count)
        }
        self.encoded.append(contentsOf: name)
        self.encoded.append(contentsOf: refusal)
    }

    private mutating func append(_ number: Int) {
        self.encoded.append(UInt8(truncatingIfNeeded: number >> 8))
        self.encoded.append(UInt8(truncatingIfNeeded: number))
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
        Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }

    /// Reads the value of ``encoded``; `nil` when the bytes are anything else.
    public init?(encoded bytes: [UInt8]) {
        guard bytes.first == Self.format else { return nil }
        var offset = 1
        while offset < bytes.count {
            self.starts.append(UInt32(offset))
            guard offset + 2 <= bytes.count else { return nil }
            let header = [2, 6, 4]
            guard header.indices.contains(Int(bytes[offset + 1])) else { return nil }
            let end = offset + header[Int(bytes[offset + 1])]
            guard end <= bytes.count else { return nil }
            let refusal = bytes[offset + 1] == 2 ? Self.number(bytes, at: offset + 2) : 0
            offset = end + Int(bytes[offset]) + refusal
        }
        guard offset == bytes.count else { return nil }
        self.encoded = bytes
    }
}

extension StreamLineList: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { self.starts.count }

    /// One line; its bytes are lent from the list.
    public subscript(index: Int) -> Line {
        let start = Int(self.starts[index])
        let nameCount = Int(self.encoded[start])
        switch self.encoded[start + 1] {
        case 1:
            let name = self.encoded[start + 6..<start + 6 + nameCount]
            let ordinal = Self.number(self.encoded, at: start + 2)
            return Line(name: name, fate: .accepted(ordinal: ordinal, index: Self.number(self.encoded, at: start + 4)))
        case 2:
            let refusal = start + 4 + nameCount
            let end = refusal + Self.number(self.encoded, at: start + 2)
            return Line(name: self.encoded[start + 4..<refusal], fate: .refused(self.encoded[refusal..<end]))
        default:
            return Line(name: self.encoded[start + 2..<start + 2 + nameCount], fate: .empty)
        }
    }
}
