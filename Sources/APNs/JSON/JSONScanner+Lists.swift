// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension JSONScanner {
    /// The elements of the first array among the members of an object, each as it stands; `nil` without an array.
    /// - Throws: ``JSONFault`` with the byte offset unless the bytes are a JSON object.
    package static func elements(ofListIn bytes: [UInt8]) throws(JSONFault) -> [ArraySlice<UInt8>]? {
        let ranges = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONFault) -> [Range<Int>]? in
            let members = try self.members(of: bytes)
            guard let list = members.first(where: { bytes[$0.value.lowerBound] == UInt8(ascii: "[") })?.value else {
                return nil
            }
            var cursor = JSONCursor(UnsafeBufferPointer(rebasing: bytes[list]))
            var ranges: [Range<Int>] = []
            try cursor.array { (cursor: inout JSONCursor) throws(JSONFault) in
                let start = list.lowerBound + cursor.offset
                try cursor.skipValue()
                ranges.append(start..<list.lowerBound + cursor.offset)
            }
            return ranges
        }
        return ranges?.map { bytes[$0] }
    }
}
