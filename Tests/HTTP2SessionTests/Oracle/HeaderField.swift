// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One header field as both implementations see it.
struct HeaderField: Hashable, CustomStringConvertible {
    var name: [UInt8]
    var value: [UInt8]
    /// Whether its sender lets it enter the dynamic table.
    var isIndexed = true

    init(_ name: String, _ value: String, isIndexed: Bool = true) {
        self.name = Array(name.utf8)
        self.value = Array(value.utf8)
        self.isIndexed = isIndexed
    }

    init(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        self.name = Array(name)
        self.value = Array(value)
    }

    var description: String {
        String(decoding: self.name, as: UTF8.self) + ": " + String(decoding: self.value, as: UTF8.self)
    }
}
