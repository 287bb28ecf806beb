// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import SQLStore
import Synchronization

/// The registration of this process as a worker: a row in `workers`, and an advisory lock of the session that listens.
///
/// The session ends with the process, and the lock with the session. The thread of the ``ChangeFeed`` registers.
final class WorkerSession: Sendable {
    /// A row of `workers` whose lock the session holds.
    struct Registration: Hashable, Sendable {
        let number: Int
        let time: ContinuousClock.Instant

        /// Whether the process was registered before, and lost that registration.
        var isRepeated = false
    }

    private struct State {
        var worker: WorkerID?
        var registration: Registration?
        var hasRegistered = false

        /// How many registrations in a row were of no use.
        var failures = 0
    }

    private static let maximumFailures = 3
    private let state = Mutex(State())

    /// Registers a worker from now on; `nil` registers none.
    func hold(_ worker: WorkerID?) {
        self.state.withLock { $0 = State(worker: worker) }
    }

    /// The registration of this process; `nil` while it has none.
    ///
    /// - Throws: `UnreliableLocksError` if several registrations in a row were of no use.
    func registration() throws -> Registration? {
        try self.state.withLock { state in
            guard state.failures < Self.maximumFailures else {
                throw UnreliableLocksError(
                    "The database does not keep session-level advisory locks, as behind a pooler that shares sessions."
                )
            }
            return state.registration
        }
    }

    /// The session has ended, and its lock with it.
    func sessionEnded() {
        self.state.withLock { $0.registration = nil }
    }

    /// A registration was found to be lost; `isFailure` if its session seems to live.
    func lost(_ registration: Registration, isFailure: Bool) {
        self.state.withLock { state in
            guard state.registration == registration else { return }
            state.registration = nil
            if isFailure { state.failures += 1 }
        }
    }

    /// A registration was found to be held.
    func confirm(_ registration: Registration) {
        self.state.withLock { if $0.registration == registration { $0.failures = 0 } }
    }

    /// Registers the worker on the session that listens, unless there is none or it is registered.
    ///
    /// - Throws: ``PostgresFailure`` if the session is lost.
    func register(on connection: PostgresConnection, logger: Logger) throws {
        let worker = self.state.withLock { $0.registration == nil ? $0.worker : nil }
        guard let worker else { return }
        do {
            try connection.queue("SELECT pg_advisory_unlock_all()")
            let row = try connection.row(Self.registering, [.text(worker.rawValue)])
            guard let number = try row?.number("number") else { return }
            self.state.withLock { state in
                guard state.worker == worker else { return }
                state.registration = Registration(number: number, time: .now, isRepeated: state.hasRegistered)
                state.hasRegistered = true
            }
        } catch let failure as PostgresFailure where !connection.isBroken {
            // The feed goes on without a lock; the next check registers again.
            logger.warning("Failed to register as a worker", metadata: ["error": "\(failure)"])
            // A full disk, or a lock timeout, does not show that locks are unreliable.
            if failure.isUnsupported { self.state.withLock { $0.failures += 1 } }
        }
    }

    /// The first key of the locks, which separates the schemas of a database.
    static let lockClass = "'workers'::regclass::oid::integer"

    /// The time at which the server started, in milliseconds since 1970.
    ///
    /// Locks do not survive it.
    static let serverStart = "(extract(epoch FROM pg_postmaster_start_time()) * 1000)::bigint"

    /// Takes the ID of the worker.
    ///
    /// The row is visible to others once the lock is held.
    ///
    /// The number is new, because the lock of the former one is held until the server notices that its session is lost.
    private static let registering = """
        WITH registered AS (
            INSERT INTO workers (worker, server_started_at) VALUES ($1, \(WorkerSession.serverStart))
            ON CONFLICT (worker) DO UPDATE SET number = EXCLUDED.number,
                server_started_at = EXCLUDED.server_started_at, terminated_at = NULL
            RETURNING number
        )
        SELECT number, pg_advisory_lock(\(WorkerSession.lockClass), number) FROM registered
        """
}
