// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
