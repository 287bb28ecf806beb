// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ
import PushModel
import PushStore

/// The result of a statement.
///
/// Used by one thread at a time.
final class PostgresResult {
    private let handle: OpaquePointer
    private let columns: [String: Int32]
    private let dataKey: DataKey?

    init(_ handle: OpaquePointer, dataKey: DataKey?) {
        self.handle = handle
        self.dataKey = dataKey
        var columns: [String: Int32] = [:]
        for column in 0..<PQnfields(handle) {
            if let name = PQfname(handle, column) { columns[String(cString: name)] = column }
        }
        self.columns = columns
    }

    deinit { PQclear(self.handle) }

    var rows: [StoredRow] {
        (0..<PQntuples(self.handle)).map {
            StoredRow(PostgresRow(result: self, number: $0), dataKey: self.dataKey)
        }
    }

    /// How many rows the statement changed or gave.
    var changes: Int { Int(String(cString: PQcmdTuples(self.handle))) ?? 0 }

    var command: String { String(cString: PQcmdStatus(self.handle)) }
    var status: ExecStatusType { PQresultStatus(self.handle) }

    /// The code of a failure, if the server gave one.
    var sqlState: String? { self.errorField("C") }

    /// Whether the server ends the session because of this failure.
    var endsSession: Bool { ["FATAL", "PANIC"].contains(self.errorField("V")) }

    /// The server's words for a failure, without the values that its details would hold.
    var message: String? { self.errorField("M") }

    /// A field of a failure; Swift does not import the constants of libpq, which are characters.
    private func errorField(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(self.handle, Int32(bitPattern: code.value)).map { String(cString: $0) }
    }

    fileprivate func field(_ column: String, row: Int32) throws -> UnsafeRawBufferPointer? {
        guard let column = self.columns[column] else { throw StoreError.damaged(column) }
        guard PQgetisnull(self.handle, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(self.handle, row, column),
            count: Int(PQgetlength(self.handle, row, column))
        )
    }
}

private struct PostgresRow: StoredColumns {
    fileprivate let result: PostgresResult
    fileprivate let number: Int32

    /// A whole number of any width, or `nil` for NULL.
    func integer(_ column: String) throws -> Int64? {
        guard let field = try self.result.field(column, row: self.number) else { return nil }
        guard [1, 2, 4, 8].contains(field.count) else { throw StoreError.damaged(column) }
        return field.dropFirst().reduce(Int64(Int8(bitPattern: field[0]))) { $0 << 8 | Int64($1) }
    }

    func text(_ column: String) throws -> String? {
        try self.result.field(column, row: self.number).map { String(decoding: $0, as: UTF8.self) }
    }

    func bytes(_ column: String) throws -> [UInt8]? {
        try self.result.field(column, row: self.number).map { [UInt8]($0) }
    }
}
