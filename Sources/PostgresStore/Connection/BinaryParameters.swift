// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import SQLStore

/// The parameters of a statement in PostgreSQL's binary form, all in one buffer.
///
/// Numbers are big-endian. An array has its number of dimensions, a flag for NULLs, the type of its elements,
/// its size and its first index, 32 bits each, and then each element after its length.
struct BinaryParameters {
    /// All parameters, one after the other; never empty, so that it always has an address.
    private(set) var bytes: [UInt8] = [0]

    /// Where each parameter lies; `nil` for NULL.
    private(set) var places: [Range<Int>?] = []

    /// Seals tokens and contents.
    private let key: DataKey?

    init(_ parameters: [SQLParameter], under key: DataKey? = nil) {
        self.key = key
        for parameter in parameters {
            let start = self.bytes.count
            var isNull = false
            switch parameter {
            case .value(let value): isNull = !self.append(value)
            case .column(let values): self.append(values, of: values.first?.type ?? SQLValue.text(nil).type)
            }
            self.places.append(isNull ? nil : start..<self.bytes.count)
        }
    }

    /// Appends a value; returns `false`, and appends nothing, for NULL.
    private mutating func append(_ value: SQLValue) -> Bool {
        switch value {
        case .integer(let number?): self.append(number)
        case .text(let text?): self.bytes += text.utf8
        case .bytes(let bytes?): self.bytes += bytes
        case .token(let token?): self.bytes += StoredContent.token(token, under: self.key)
        case .content(let bytes?): self.bytes += StoredContent.bytes(bytes, under: self.key)
        case .contentText(let text?): self.bytes += StoredContent.text(text, under: self.key).utf8
        case .id(let id?):
            self.append(id.high)
            self.append(id.low)
        case .texts(let texts): self.append(texts.map { .text($0) }, of: SQLValue.text(nil).type)
        case .integers(let numbers): self.append(numbers.map { .integer($0) }, of: SQLValue.integer(nil).type)
        case .integer, .text, .bytes, .token, .content, .contentText, .id: return false
        }
        return true
    }

    private mutating func append(_ elements: [SQLValue], of type: UInt32) {
        let start = self.bytes.count
        for word in [elements.isEmpty ? 0 : 1, 0, type] { self.append(word) }
        guard !elements.isEmpty else { return }
        self.append(UInt32(elements.count))
        self.append(1 as UInt32)
        for element in elements {
            let place = self.bytes.count
            self.append(UInt32.max)
            guard self.append(element) else {
                // The array has NULLs.
                self.bytes[start + 7] = 1
                continue
            }
            let length = UInt32(self.bytes.count - place - 4)
            for byte in 0..<4 { self.bytes[place + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * byte)) }
        }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { self.bytes += $0 }
    }
}

extension SQLParameter {
    /// The number of the type in PostgreSQL's catalogue, `pg_type.oid`; these never change.
    var type: UInt32 {
        switch self {
        case .value(let value): value.type
        case .column(let values):
            switch values.first {
            case .integer: SQLValue.integers([]).type
            case .bytes, .token, .content: 1001
            case .id: 2951
            case .text, .contentText, .texts, .integers, nil: SQLValue.texts([]).type
            }
        }
    }
}

extension SQLValue {
    fileprivate var type: UInt32 {
        switch self {
        case .integer: 20
        case .text, .contentText: 25
        case .bytes, .token, .content: 17
        case .id: 2950
        case .integers: 1016
        case .texts: 1009
        }
    }
}
