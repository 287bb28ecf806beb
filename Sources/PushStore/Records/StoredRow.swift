// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A row that a database gave, read by the names of its columns.
///
/// The stores name their columns alike, so that what reads them is written once, in this folder. A column that is
/// missing or of another type was not written by this program: that throws ``StoreError`` `.corrupt`.
package protocol StoredRow {
    /// A whole number, or `nil` for NULL.
    func integer(_ column: String) throws -> Int64?

    /// A text, or `nil` for NULL.
    func text(_ column: String) throws -> String?

    /// Bytes, or `nil` for NULL.
    func bytes(_ column: String) throws -> [UInt8]?
}

extension StoredRow {
    /// A whole number that is never NULL.
    package func number(_ column: String) throws -> Int {
        guard let number = try self.integer(column) else { throw StoreError.damaged(column) }
        return Int(number)
    }

    /// A text that is never NULL.
    package func string(_ column: String) throws -> String {
        guard let text = try self.text(column) else { throw StoreError.damaged(column) }
        return text
    }

    /// Bytes that are never NULL.
    package func blob(_ column: String) throws -> [UInt8] {
        guard let bytes = try self.bytes(column) else { throw StoreError.damaged(column) }
        return bytes
    }

    /// A time, stored as milliseconds since 1970.
    package func date(_ column: String) throws -> Date {
        Date(millisecondsSince1970: Int64(try self.number(column)))
    }

    /// A time that may be absent.
    package func optionalDate(_ column: String) throws -> Date? {
        try self.integer(column).map { Date(millisecondsSince1970: $0) }
    }

    /// An identifier; one that breaks the rule of its kind is damaged.
    package func identifier<ID: TextIdentifier>(_ column: String, _ kind: ID.Type = ID.self) throws -> ID {
        guard let id = ID(rawValue: try self.string(column)) else { throw StoreError.damaged(ID.field) }
        return id
    }
}
