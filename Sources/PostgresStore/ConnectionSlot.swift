// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch

/// The place of one connection, with the thread that it blocks.
///
/// `@unchecked Sendable`: the connection is touched only on the queue, which runs one block at a time.
final class ConnectionSlot: @unchecked Sendable {
    /// The requirements of a call, and how its failures may be handled.
    struct Policy: Sendable {
        /// The time for the call once it has its connection; `nil` is the configured one.
        var timeout: Duration?

        /// Whether a cancelled task leaves the queue; a change does not.
        var isCancellable = false

        /// Whether a name that is taken by the time of the commit means that another transaction was faster.
        var retriesDuplicates = false

        /// Whether it reads very many rows; such calls leave connections to the others.
        var isScan = false
    }

    private static let maximumAttempts = 8

    /// How much longer than the server's timeout a call waits: a statement that the server stops leaves the connection
    /// usable.
    private static let grace = Duration.seconds(1)

    private let reconnection: SharedReconnectState
    private let queue: DispatchQueue
    private var connection: PostgresConnection?

    init(reconnection: SharedReconnectState, label: String) {
        self.reconnection = reconnection
        self.queue = DispatchQueue(label: label)
    }

    /// Runs a body on the slot's thread; it may run several times, each time from the beginning.
    func run<Value: Sendable>(
        _ policy: Policy,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.queue.async {
                continuation.resume(with: Result { try self.attempt(policy, body) })
            }
        }
    }

    /// Closes the connection, after its current call.
    func close() {
        self.queue.async { self.connection = nil }
    }

    private func attempt<Value>(_ policy: Policy, _ body: (PostgresConnection) throws -> Value) throws -> Value {
        let timeout = policy.timeout ?? self.reconnection.session.configuration.requestTimeout
        let deadline = ContinuousClock.now + timeout + Self.grace
        var attempts = 1
        while true {
            let connection = try self.usableConnection()
            connection.deadline = deadline
            do {
                return try body(connection)
            } catch let failure as PostgresError {
                // A server that takes no changes now may never again; the next connection finds the one that does.
                if connection.isBroken || failure.isStale || failure.isReadOnly { self.connection = nil }
                guard attempts < Self.maximumAttempts, ContinuousClock.now < deadline, !failure.isUncertain else {
                    throw failure
                }
                let isBroken = connection.isBroken && failure.kind == .connection
                let isLost = failure.isCollision || (failure.isDuplicate && policy.retriesDuplicates)
                // A failure before the commit has changed nothing; one retry is enough to find a server that runs.
                guard isLost || ((isBroken || failure.isStale) && attempts == 1) else { throw failure }
                // The transaction that was met gets ahead; two that met twice do not wait equally long.
                if isLost { SocketPoller.pause(milliseconds: Int.random(in: 1...(5 << min(attempts, 5)))) }
                attempts += 1
            }
        }
    }

    private func usableConnection() throws -> PostgresConnection {
        if let connection, !connection.isClosedByServer() { return connection }
        self.connection = nil
        let connection = try self.reconnection.connect()
        self.connection = connection
        return connection
    }
}
