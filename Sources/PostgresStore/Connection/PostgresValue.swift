// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A parameter of a statement, with its type; what may be NULL is optional.
enum PostgresValue: Sendable {
    case integer(Int64?)
    case text(String?)
    case bytes([UInt8]?)
    case id(APNsID?)
    case integers([Int64?])
    case texts([String?])
    case byteStrings([[UInt8]?])
    case ids([APNsID?])

    static func number(_ number: Int?) -> PostgresValue { .integer(number.map(Int64.init)) }

    /// The number of the type in PostgreSQL's catalogue, `pg_type.oid`; these never change.
    var type: UInt32 {
        switch self {
        case .integer: 20
        case .text: 25
        case .bytes: 17
        case .id: 2950
        case .integers: 1016
        case .texts: 1009
        case .byteStrings: 1001
        case .ids: 2951
        }
    }

    /// The type of an array's elements.
    fileprivate var elementType: UInt32 {
        switch self {
        case .integers: 20
        case .texts: 25
        case .byteStrings: 17
        case .ids: 2950
        case .integer, .text, .bytes, .id: 0
        }
    }
}

/// The parameters of a statement in PostgreSQL's binary form, all in one buffer.
///
/// Numbers are big-endian; an array is the number of its dimensions, whether there are NULLs, the type of its elements,
/// its size and its first index, 32 bits each, and then each element behind its length.
struct EncodedValues {
    /// All parameters, one behind the other; never empty, so that it always has an address.
    private(set) var bytes: [UInt8] = [0]

    /// Where each parameter lies; `nil` for NULL.
    private(set) var places: [Range<Int>?] = []

    init(_ values: [PostgresValue]) {
        for value in values {
            let start = self.bytes.count
            let isNull = !self.append(value)
            self.places.append(isNull ? nil : start..<self.bytes.count)
        }
    }

    /// Appends a value; answers `false`, and appends nothing, for NULL.
    private mutating func append(_ value: PostgresValue) -> Bool {
        switch value {
        case .integer(let number):
            guard let number else { return false }
            self.append(number)
        case .text(let text):
            guard let text else { return false }
            self.bytes += text.utf8
        case .bytes(let bytes):
            guard let bytes else { return false }
            self.bytes += bytes
        case .id(let id):
            guard let id else { return false }
            self.append(id)
        case .integers(let numbers):
            self.append(numbers, of: value) { $0.append($1) }
        case .texts(let texts):
            self.append(texts, of: value) { $0.bytes += $1.utf8 }
        case .byteStrings(let strings):
            self.append(strings, of: value) { $0.bytes += $1 }
        case .ids(let ids):
            self.append(ids, of: value) { $0.append($1) }
        }
        return true
    }

    private mutating func append<Element>(
        _ elements: [Element?],
        of value: PostgresValue,
        _ appendElement: (inout EncodedValues, Element) -> Void
    ) {
        let hasNulls = elements.contains { $0 == nil }
        for word in [elements.isEmpty ? 0 : 1, hasNulls ? 1 : 0, value.elementType] { self.append(word) }
        guard !elements.isEmpty else { return }
        self.append(UInt32(elements.count))
        self.append(1 as UInt32)
        for element in elements {
            let start = self.bytes.count
            self.append(UInt32.max)
            guard let element else { continue }
            appendElement(&self, element)
            let length = UInt32(self.bytes.count - start - 4)
            for place in 0..<4 { self.bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * place)) }
        }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { self.bytes += $0 }
    }

    private mutating func append(_ id: APNsID) {
        self.append(id.high)
        self.append(id.low)
    }
}
