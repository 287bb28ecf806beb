// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel

/// The columns of a row that a database gave, by their names.
///
/// A column that is missing or of another type was not written by this program: that throws ``StoreError`` `.corrupt`.
package protocol StoredColumns {
    /// A whole number; this and the other two return `nil` for NULL.
    func integer(_ column: String) throws -> Int64?

    func text(_ column: String) throws -> String?

    func bytes(_ column: String) throws -> [UInt8]?
}

/// A row of any database.
///
/// The stores use the same column names, so the decoding is written once, in this module. It is a struct, not a
/// protocol, because the compiler does not specialize generic functions of this module for the rows of another one.
package struct StoredRow {
    private let columns: any StoredColumns
    private let dataKey: DataKey?

    /// Takes the columns, and the key that opens the sealed ones.
    package init(_ columns: some StoredColumns, dataKey: DataKey? = nil) {
        self.columns = columns
        self.dataKey = dataKey
    }

    /// A whole number; this and the other two return `nil` for NULL.
    package func integer(_ column: String) throws -> Int64? { try self.columns.integer(column) }

    package func text(_ column: String) throws -> String? { try self.columns.text(column) }

    package func bytes(_ column: String) throws -> [UInt8]? { try self.columns.bytes(column) }

    /// A device token or content, in plain form or sealed; `nil` for NULL.
    package func openedBytes(_ column: String) throws -> [UInt8]? {
        guard let stored = try self.columns.bytes(column) else { return nil }
        do {
            return try StoredContent.open(stored, under: self.dataKey)
        } catch {
            throw StoreError(error, column: column)
        }
    }

    /// A content as a text, in plain form or sealed; `nil` for NULL.
    package func openedText(_ column: String) throws -> String? {
        guard let stored = try self.columns.text(column) else { return nil }
        do {
            return try StoredContent.open(stored, under: self.dataKey)
        } catch {
            throw StoreError(error, column: column)
        }
    }
}

extension StoreError {
    /// Without a key, nothing is known about a sealed value; one that does not open is a corrupt value.
    fileprivate init(_ error: DataKeyError, column: String) {
        switch error {
        case .cannotOpen: self = .damaged(column)
        case .missing:
            self.init(
                code: .unavailable,
                message: "The device tokens and contents of this store are sealed, and this process has no key. "
                    + "Give it the master key of the servers."
            )
        }
    }
}

extension StoredRow {
    /// A whole number that is never NULL; sums of such numbers do not overflow.
    package func number(_ column: String, in range: ClosedRange<Int> = StoredLimit.numbers) throws -> Int {
        guard let number = try self.optionalNumber(column, in: range) else { throw StoreError.damaged(column) }
        return number
    }

    package func optionalNumber(_ column: String, in range: ClosedRange<Int> = StoredLimit.numbers) throws -> Int? {
        guard let stored = try self.integer(column) else { return nil }
        guard let number = Int(exactly: stored), range.contains(number) else { throw StoreError.damaged(column) }
        return number
    }

    /// The value whose place among `values` a column holds; `what` names the row in the error.
    func element<Value>(_ column: String, of values: [Value], in what: String) throws -> Value {
        let place = try self.number(column)
        guard values.indices.contains(place) else { throw StoreError.damaged(what) }
        return values[place]
    }

    /// The number of a row, or another one that is only compared.
    package func int64(_ column: String) throws -> Int64 {
        guard let number = try self.integer(column) else { throw StoreError.damaged(column) }
        return number
    }

    package func string(_ column: String) throws -> String {
        guard let text = try self.text(column) else { throw StoreError.damaged(column) }
        return text
    }

    package func blob(_ column: String) throws -> [UInt8] {
        guard let bytes = try self.bytes(column) else { throw StoreError.damaged(column) }
        return bytes
    }

    /// A device token or content that is never NULL.
    package func openedBlob(_ column: String) throws -> [UInt8] {
        guard let bytes = try self.openedBytes(column) else { throw StoreError.damaged(column) }
        return bytes
    }

    /// A whole number that is never NULL, limited to the valid range: for values that are only displayed.
    package func clampedNumber(_ column: String) throws -> Int {
        // Cannot trap: the number is in range.
        Int(StoredLimit.clamp(try self.int64(column)))
    }

    package func date(_ column: String) throws -> Date {
        Date(millisecondsSince1970: Int64(try self.number(column)))
    }

    package func optionalDate(_ column: String) throws -> Date? {
        try self.optionalNumber(column).map { Date(millisecondsSince1970: Int64($0)) }
    }

    /// A time that may be absent; one that is out of range becomes the earliest or latest time.
    package func clampedDate(_ column: String) throws -> Date? {
        try self.integer(column).map { Date(millisecondsSince1970: StoredLimit.clamp($0)) }
    }

    /// An ID of 16 bytes; `what` names the row in the error.
    package func apnsID(_ column: String, of what: String? = nil) throws -> APNsID {
        guard let id = APNsID(stored: try self.blob(column)) else { throw StoreError.damaged(what ?? column) }
        return id
    }

    package func batchID(_ column: String, of what: String) throws -> BatchID {
        guard let id = BatchID(try self.apnsID(column, of: what)) else { throw StoreError.damaged(what) }
        return id
    }

    /// An identifier; one that breaks the rule of its kind is damaged.
    package func identifier<ID: TextIdentifier>(_ column: String, _ kind: ID.Type = ID.self) throws -> ID {
        guard let id = ID(rawValue: try self.string(column)) else { throw StoreError.damaged(ID.field) }
        return id
    }
}

package enum StoredLimit {
    /// Numbers and times in milliseconds: a thousand times one is an `Int64`, and a `Double` holds it exactly.
    package static let numbers = -(1 << 53)...(1 << 53)

    /// Numbers that grow by one at a time; PostgreSQL keeps them in 32 bits, which have room for as many again.
    package static let counts = 0...1 << 30
    package static let sums = 0...1 << 40

    package static func clamp(_ number: Int64) -> Int64 {
        min(max(number, Int64(self.numbers.lowerBound)), Int64(self.numbers.upperBound))
    }
}

extension APNsID {
    /// The id as 16 bytes, the most significant first, so that stored ids sort as ids do.
    package var stored: [UInt8] {
        withUnsafeBytes(of: (self.high.bigEndian, self.low.bigEndian)) { Array($0) }
    }

    package init?(stored bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(high: high, low: low)
    }
}

extension APNsEnvironment {
    package var stored: Int { self == .production ? 1 : 0 }

    package init(stored number: Int) { self = number == 1 ? .production : .sandbox }
}

extension Set<APNsEnvironment> {
    /// The number in which they are stored: 1 for sandbox and 2 for production, added.
    package var stored: Int { self.reduce(0) { $0 + $1.stored + 1 } }

    package init(stored number: Int) {
        self = Set(APNsEnvironment.allCases.filter { number & ($0.stored + 1) != 0 })
    }
}

extension Duration {
    /// In milliseconds, rounded down, as durations are stored.
    package var wholeMilliseconds: Int64 {
        // A longer duration can only be a setting.
        StoredLimit.clamp(self.components.seconds) * 1000 + self.components.attoseconds / 1_000_000_000_000_000
    }
}

extension Lane {
    package var stored: Int { self == .urgent ? 0 : 1 }

    package init(stored number: Int) { self = number == 0 ? .urgent : .bulk }
}

extension Date {
    package var keptToMilliseconds: Date { Date(millisecondsSince1970: self.millisecondsSince1970) }

    package func lease(of duration: Duration) -> Date {
        self.addingTimeInterval(duration / .seconds(1)).keptToMilliseconds
    }
}

/// Values that are only ever read and written whole.
package enum StoredJSON {
    /// Texts by name; mostly there are none, which costs nothing.
    package static func decodeTexts(_ text: String, _ what: String) throws -> [String: String] {
        if text == "{}" { return [:] }
        // JSONDecoder costs several times as much. It decodes or rejects everything else.
        if case .object(let members)? = try? JSONValue(json: Array(text.utf8)) {
            let texts = members.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
            if texts.count == members.count { return texts }
        }
        return try self.decode([String: String].self, text, what)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String, _ what: String) throws -> Value {
        try decodeStored(what) { try JSONDecoder().decode(type, from: Data(text.utf8)) }
    }

    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
