// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Logging
package import PushModel
package import PushStore
package import SQLStore

/// A driver that executes the statements of each transaction on a decorator of its connection.
package struct DecoratedDriver: SQLDriver {
    private let driver: any SQLDriver
    private let decorate: @Sendable (any SQLConnection) -> any SQLConnection

    package init(_ driver: any SQLDriver, _ decorate: @escaping @Sendable (any SQLConnection) -> any SQLConnection) {
        self.driver = driver
        self.decorate = decorate
    }

    package var logger: Logger { self.driver.logger }

    package var batchHandOvers: BatchHandoffRegistry { self.driver.batchHandOvers }

    package var groups: CallGroups { self.driver.groups }

    package var dataKeys: DataKeySlot { self.driver.dataKeys }

    package var writersAtOnce: Int { self.driver.writersAtOnce }

    package var scanWindow: Int { self.driver.scanWindow }

    package func runRead<Value: Sendable>(
        _ kind: SQLReadKind,
        _ operation: StaticString,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await self.driver.runRead(kind, operation) { try body(self.decorate($0)) }
    }

    package func runWrite<Value: Sendable>(
        _ operation: StaticString,
        in lane: Lane,
        retriesConflicts: Bool,
        storedRow: (@Sendable (Value) -> SQL?)?,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.driver.runWrite(
            operation,
            in: lane,
            retriesConflicts: retriesConflicts,
            storedRow: storedRow
        ) { connection, changes in
            try body(self.decorate(connection), &changes)
        }
    }
}
