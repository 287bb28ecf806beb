// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore
public import SQLStore

/// A store on the database of another store.
///
/// It executes the operations of `SQLStore` itself, so an adopter implements only the operations that it changes.
/// A decorator of a decorator executes them on the database too, and does not call those that its base changes.
public protocol StoreDecorator: PushStore, SQLBacked {
    /// The store that executes the operations that are written for each database.
    var base: any PushStore & SQLBacked { get }

    /// The code that runs around each transaction.
    var probe: StoreProbe? { get }
}

extension StoreDecorator {
    public var probe: StoreProbe? { nil }

    public var sql: SQLDatabase {
        guard let probe else { return self.base.sql }
        return SQLDatabase(ProbedDriver(driver: self.base.sql.driver, probe: probe))
    }

    /// Executes an operation of the base.
    func delegate<Value>(
        operation: StaticString = #function,
        _ body: () async throws -> Value
    ) async throws -> Value {
        guard let probe else { return try await body() }
        return try await probe.run(operation, body)
    }
}

/// A store with code that runs around each transaction.
public struct ProbedStore: StoreDecorator {
    public let base: any PushStore & SQLBacked
    public let probe: StoreProbe?

    public init(_ base: any PushStore & SQLBacked, _ probe: StoreProbe) {
        self.base = base
        self.probe = probe
    }

    public init(_ base: any PushStore & SQLBacked, failing faults: StoreFaults) {
        self.init(base, StoreProbe(before: { try faults.check($0) }))
    }
}
