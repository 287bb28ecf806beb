// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Logging
import PushStore
import Synchronization

/// Word of changes from process to process, by LISTEN and NOTIFY on a connection of its own.
///
/// Changes are told after they are durable, many at once, and beside the calls that made them: NOTIFY within a
/// transaction makes commits wait for one another. Word that is lost, because a process or a connection died, or because
/// the database knows no NOTIFY, is made up for by whoever waits: it polls. The thread belongs to ``run()``.
final class ChangeFeed: Sendable {
    private struct State {
        var backlog = ChangeBacklog()
        var pipe: WakePipe?
        var isStopped = false
    }

    /// How often a silent connection is asked whether it is there.
    private static let pulse = Duration.seconds(20)

    private let parameters: ConnectionParameters
    private let session: PostgresConnection.Session
    private let broadcast: StoreBroadcast
    private let logger: Logger
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "apus.store.changes")

    init(
        parameters: ConnectionParameters,
        session: PostgresConnection.Session,
        broadcast: StoreBroadcast,
        logger: Logger
    ) {
        self.parameters = parameters
        self.session = session
        self.broadcast = broadcast
        self.logger = logger
    }

    /// Tells other processes of changes, if the feed runs; never waits.
    func tell(_ changes: [StoreChange]) {
        guard !changes.isEmpty else { return }
        let pipe = self.state.withLock { state -> WakePipe? in
            guard state.pipe != nil else { return nil }
            for change in changes { state.backlog.add(change) }
            return state.pipe
        }
        pipe?.wake()
    }

    /// Hears and tells changes until it is stopped; connects again as often as need be.
    func run() async {
        await withCheckedContinuation { continuation in
            self.queue.async {
                self.loop()
                continuation.resume()
            }
        }
    }

    /// Ends ``run()``, soon.
    func stop() {
        let pipe = self.state.withLock { state in
            state.isStopped = true
            return state.pipe
        }
        pipe?.wake()
    }

    private var isStopped: Bool { self.state.withLock { $0.isStopped } }
}

// MARK: - The thread

extension ChangeFeed {
    private var channel: String { "apus_\(self.session.schema)" }

    private func loop() {
        var reconnection = Reconnection()
        var generator = SystemRandomNumberGenerator()
        while !self.isStopped {
            do {
                let pipe = try self.wakePipe()
                let connection = try PostgresConnection.open(self.parameters, session: self.session)
                // What is told is durable already; word of it that a crash of the server takes along does no harm.
                try connection.queue("SET synchronous_commit = off")
                try connection.queue("LISTEN \"\(self.channel)\"")
                try connection.receive()
                reconnection.succeed()
                // Nobody knows what was told while nobody listened.
                self.broadcast.send(.missed)
                try self.exchange(connection, pipe)
            } catch {
                reconnection.fail(error, now: .now, using: &generator)
                self.logger.warning(
                    "No word of other processes' changes until the connection is back",
                    metadata: ["error": "\(StoreError.translating(error, place: self.parameters.place))"]
                )
                self.pause(until: .now + reconnection.wait(now: .now))
            }
        }
        self.state.withLock { $0.pipe = nil }
    }

    private func wakePipe() throws -> WakePipe {
        if let pipe = self.state.withLock({ $0.pipe }) { return pipe }
        let pipe = try WakePipe()
        self.state.withLock { $0.pipe = pipe }
        return pipe
    }

    private func exchange(_ connection: PostgresConnection, _ pipe: WakePipe) throws {
        var nextPulse = ContinuousClock.now + Self.pulse
        while !self.isStopped {
            pipe.clear()
            let changes = self.state.withLock { $0.backlog.takeAll() }
            connection.deadline = .now + self.session.connectTimeout
            for text in ChangeText.encode(changes) {
                try connection.queue("SELECT pg_notify($1, $2)", [.text(self.channel), .text(text)])
            }
            if ContinuousClock.now >= nextPulse { try connection.queue("SELECT 1") }
            if !changes.isEmpty || ContinuousClock.now >= nextPulse {
                try connection.receive()
                nextPulse = .now + Self.pulse
            }
            for text in connection.takeNotifications() {
                for change in ChangeText.decode(text) { self.broadcast.send(change) }
            }
            try connection.waitForNotifications(or: pipe.reading, until: nextPulse)
        }
    }

    /// Waits, unless it is stopped meanwhile.
    private func pause(until time: ContinuousClock.Instant) {
        while !self.isStopped, ContinuousClock.now < time {
            guard let pipe = self.state.withLock({ $0.pipe }) else {
                // There are no files to be had, so that nobody can end this early.
                SocketWait.pause(milliseconds: 100)
                continue
            }
            guard (try? SocketWait.wait(for: [(pipe.reading, SocketWait.readable)], until: time)) == true else {
                return
            }
            pipe.clear()
        }
    }
}
