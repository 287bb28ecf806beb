// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An array in fixed-size chunks: it grows without copying its elements, and can release chunks at its start.
struct ChunkedArray<Element: BitwiseCopyable & Sendable>: Sendable {
    private static var chunkBits: Int { 13 }
    private static var chunkSize: Int { 1 << self.chunkBits }

    private var chunks: [[Element]] = []
    /// The number of appended elements, including released ones.
    private(set) var count = 0

    /// An element that was not released.
    subscript(index: Int) -> Element {
        _read { yield self.chunks[index >> Self.chunkBits][index & (Self.chunkSize - 1)] }
        _modify { yield &self.chunks[index >> Self.chunkBits][index & (Self.chunkSize - 1)] }
    }

    mutating func append(_ element: Element) {
        if self.count & (Self.chunkSize - 1) == 0 {
            var chunk: [Element] = []
            chunk.reserveCapacity(Self.chunkSize)
            self.chunks.append(chunk)
        }
        self.chunks[self.count >> Self.chunkBits].append(element)
        self.count += 1
    }

    /// Releases the chunks that hold only elements before `index`; the caller must not access those afterwards.
    mutating func release(before index: Int) {
        var chunk = (index >> Self.chunkBits) - 1
        while chunk >= 0, !self.chunks[chunk].isEmpty {
            self.chunks[chunk] = []
            chunk -= 1
        }
    }
}

extension ChunkedArray: Codable {
    init(from decoder: any Decoder) throws {
        for element in try PackedElements<Element>(from: decoder).elements { self.append(element) }
    }

    /// Encodes all elements; none must have been released.
    func encode(to encoder: any Encoder) throws {
        try PackedElements(elements: (0..<self.count).map { self[$0] }).encode(to: encoder)
    }
}

/// Many small values in a document as one string: their memory in base64.
///
/// A document with them is read by the same version of the simulator on the same kind of machine.
struct PackedElements<Element: BitwiseCopyable>: Codable {
    var elements: [Element]

    init(elements: [Element]) {
        self.elements = elements
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let data = try container.decode(Data.self)
        let stride = MemoryLayout<Element>.stride
        guard data.count.isMultiple(of: stride) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "expected a multiple of \(stride) bytes, got \(data.count)"
            )
        }
        self.elements = Array(unsafeUninitializedCapacity: data.count / stride) { output, initialized in
            initialized = data.count / stride
            _ = data.copyBytes(to: UnsafeMutableRawBufferPointer(output))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.elements.withUnsafeBytes { Data($0) })
    }
}
