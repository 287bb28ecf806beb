// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushStore
package import SQLite

extension Row: StoredRow {}

extension StatementRow: StoredRow {}

extension StoredRow where Self: DatabaseRow {
    package func integer(_ column: String) throws -> Int64? {
        switch self[column] {
        case .integer(let number): number
        case .null: nil
        default: throw StoreError.damaged(column)
        }
    }

    package func text(_ column: String) throws -> String? {
        switch self[column] {
        case .text(let text): text
        case .null: nil
        default: throw StoreError.damaged(column)
        }
    }

    package func bytes(_ column: String) throws -> [UInt8]? {
        switch self[column] {
        case .blob(let bytes): bytes
        case .null: nil
        default: throw StoreError.damaged(column)
        }
    }
}
