// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// In JSON the object is a string that holds it, so that it stays as it was, byte for byte.
extension JSONFragment: Codable {
    /// Reads the text of an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(json: container.decode(String.self))
        } catch let failure as ValidationFailure {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: failure.message)
        }
    }

    /// Writes the text of the object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(decoding: self.bytes, as: UTF8.self))
    }
}
