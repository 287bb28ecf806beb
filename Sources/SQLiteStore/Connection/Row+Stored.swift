// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
import PushStore

extension Row: StoredRow {
    /// A whole number, or `nil` for NULL; see `StoredRow`.
    package func integer(_ column: String) throws -> Int64? { try self.value(column) }

    /// A text, or `nil` for NULL; see `StoredRow`.
    package func text(_ column: String) throws -> String? { try self.value(column) }

    /// Bytes, or `nil` for NULL; see `StoredRow`.
    package func bytes(_ column: String) throws -> [UInt8]? { try (self.value(column) as Data?).map { [UInt8]($0) } }

    private func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value? {
        guard let found: DatabaseValue = self[column] else { throw StoreError.damaged(column) }
        if found.isNull { return nil }
        guard let value = Value.fromDatabaseValue(found) else { throw StoreError.damaged(column) }
        return value
    }
}

extension APNsID {
    /// The 16 bytes of `stored`, as SQLite takes them.
    var blob: Data { Data(self.stored) }
}

extension DeviceToken {
    /// The bytes in which it is stored.
    var blob: Data { Data(self.bytes) }
}
