// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Dispatch
import Logging
import PushModel
import PushStore
import SQLStore
import Synchronization

/// Notifies other processes of changes, with LISTEN and NOTIFY on a separate connection.
///
/// It sends changes after they are durable, in groups and concurrently with the calls that made them: NOTIFY within a
/// transaction serializes commits. Notifications can be lost: a process or connection fails, or the database has no
/// NOTIFY. So subscribers also poll. ``run()`` owns the thread.
final class ListenNotifyChannel: Sendable {
    private struct State {
        var backlog = PendingChanges()
        var isRunning = false
        var isStopped = false
    }

    /// The interval at which an idle connection is probed.
    private static let pulse = Duration.seconds(20)

    private let session: PostgresConnection.Session
    private let broadcast: StoreChangeBroadcaster
    private let pipe: SelfPipe
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "apus.store.changes")

    /// The advisory lock that shows other processes that this worker runs; the listening session holds it.
    let worker = WorkerSession()

    init(session: PostgresConnection.Session, broadcast: StoreChangeBroadcaster) throws {
        var session = session
        // If a process disappears without closing the connection, the server releases its lock after about 12 seconds.
        session.keepalives = (idle: "5", interval: "2", timeout: "10000")
        self.session = session
        self.broadcast = broadcast
        self.pipe = try SelfPipe()
    }

    /// Notifies other processes of changes, if the feed runs; never waits.
    func tell(_ changes: [StoreChange]) {
        guard !changes.isEmpty else { return }
        let isRunning = self.state.withLock { state in
            if state.isRunning { for change in changes { state.backlog.add(change) } }
            return state.isRunning
        }
        if isRunning { self.wake() }
    }

    /// Receives and sends changes until it is stopped; reconnects after failures.
    func run() async {
        await withCheckedContinuation { continuation in
            self.queue.async {
                self.loop()
                continuation.resume()
            }
        }
    }

    /// Registers a worker on the session that listens, when there is one; `nil` registers no worker.
    func hold(_ worker: WorkerID?) {
        self.worker.hold(worker)
        self.wake()
    }

    func wake() { self.pipe.wake() }

    /// Stops ``run()``, without waiting for its end.
    func stop() {
        self.state.withLock { $0.isStopped = true }
        self.wake()
    }

    private var isStopped: Bool { self.state.withLock { $0.isStopped } }
}

// MARK: - The thread

extension ListenNotifyChannel {
    private var channel: String { "apus_\(self.session.configuration.schema)" }

    private func loop() {
        var reconnection = ReconnectPolicy()
        self.state.withLock { $0.isRunning = true }
        while !self.isStopped {
            do {
                let connection = try PostgresConnection.open(self.session)
                // The changes are durable already. A crash of the database server may lose their notification.
                try connection.queue("SET synchronous_commit = off")
                try connection.queue("LISTEN \"\(self.channel)\"")
                try connection.receive()
                reconnection.succeed()
                // Notifications before LISTEN were missed.
                self.broadcast.send([.missed])
                try self.exchange(connection)
            } catch {
                self.worker.sessionEnded()
                reconnection.fail(error, now: .now)
                self.session.logger.warning(
                    "Lost the LISTEN connection; polling until it is restored",
                    metadata: ["error": "\(StoreError.translating(error, place: self.session.parameters.place))"]
                )
                self.pause(until: .now + reconnection.wait(now: .now))
            }
        }
        self.worker.sessionEnded()
        self.state.withLock { $0.isRunning = false }
    }

    private func exchange(_ connection: PostgresConnection) throws {
        var nextPulse = ContinuousClock.now + Self.pulse
        while !self.isStopped {
            self.pipe.clear()
            let changes = self.state.withLock { $0.backlog.takeAll() }
            connection.deadline = .now + self.session.configuration.connectTimeout
            try self.worker.register(on: connection, logger: self.session.logger)
            for text in ChangeCodec.encode(changes) {
                try connection.queue("SELECT pg_notify($1, $2)", [.text(self.channel), .text(text)])
            }
            if ContinuousClock.now >= nextPulse { try connection.queue("SELECT 1") }
            if !changes.isEmpty || ContinuousClock.now >= nextPulse {
                try connection.receive()
                nextPulse = .now + Self.pulse
            }
            for text in connection.takeNotifications() { self.broadcast.send(ChangeCodec.decode(text)) }
            try connection.waitForNotifications(or: self.pipe.reading, until: nextPulse)
        }
    }

    /// Waits, unless it is stopped meanwhile.
    private func pause(until time: ContinuousClock.Instant) {
        while !self.isStopped, ContinuousClock.now < time {
            let wake = (self.pipe.reading, SocketPoller.readable)
            guard (try? SocketPoller.wait(for: [wake], until: time)) == true else { return }
            self.pipe.clear()
        }
    }
}

/// The encoding of changes between processes: words that are separated by a space.
///
/// Each word starts with the letter of its kind, followed by the ID if the change has one. A process reads an unknown
/// word as `m`, so that newer processes can send more kinds.
enum ChangeCodec {
    /// The maximum size of a text in bytes; PostgreSQL accepts less than 8000.
    static let maximumBytes = 7900

    static func encode(_ changes: some Sequence<StoreChange>) -> [String] {
        var texts: [String] = []
        for change in changes {
            let word = self.word(change)
            if let last = texts.last, last.utf8.count + 1 + word.utf8.count <= self.maximumBytes {
                texts[texts.count - 1] += " " + word
            } else {
                texts.append(word)
            }
        }
        return texts
    }

    static func decode(_ text: String) -> [StoreChange] {
        text.split(separator: " ").map { word in
            switch word.first {
            case "u" where word.count == 1: .batchReady(.urgent)
            case "b" where word.count == 1: .batchReady(.bulk)
            case "w" where word.count == 1: .webhooksChanged
            case "l" where word.count == 1: .activitiesDue
            case "j" where word.count == 1: .jobsDue
            case "t" where word.count == 1: .topicDeliveriesReady
            case "e": AppID(rawValue: String(word.dropFirst())).map { .eventsAppended($0) } ?? .missed
            default: APNsID(canonical: word.dropFirst()).flatMap { self.change(word.first, $0) } ?? .missed
            }
        }
    }

    private static func change(_ letter: Character?, _ id: APNsID) -> StoreChange? {
        switch letter {
        case "a": BatchID(id).map { .batchAdvanced($0) }
        case "n": .notificationSettled(NotificationID(id))
        case "s": .batchSettled(NotificationID(id))
        case "h": .halted(NotificationID(id))
        case "c": .campaignChanged(CampaignID(id))
        default: nil
        }
    }

    private static func word(_ change: StoreChange) -> String {
        switch change {
        case .batchReady(.urgent): "u"
        case .batchReady(.bulk): "b"
        case .batchAdvanced(let id): "a\(id)"
        case .notificationSettled(let id): "n\(id)"
        case .batchSettled(let id): "s\(id)"
        case .halted(let id): "h\(id)"
        case .campaignChanged(let id): "c\(id)"
        case .eventsAppended(let app): "e\(app)"
        case .webhooksChanged: "w"
        case .activitiesDue: "l"
        case .jobsDue: "j"
        case .topicDeliveriesReady: "t"
        case .missed: "m"
        }
    }
}

/// The changes that are not sent yet: each once, with a limit.
struct PendingChanges: Sendable {
    static let maximumCount = 10_000
    private var changes: [StoreChange] = []
    private var known: Set<StoreChange> = []

    /// Adds a change; beyond the bound, all of them are replaced by the word that there were too many.
    mutating func add(_ change: StoreChange) {
        guard self.known.insert(change).inserted else { return }
        self.changes.append(change)
        if self.changes.count > Self.maximumCount { (self.changes, self.known) = ([.missed], [.missed]) }
    }

    mutating func takeAll() -> [StoreChange] {
        defer { self = PendingChanges() }
        return self.changes
    }
}
