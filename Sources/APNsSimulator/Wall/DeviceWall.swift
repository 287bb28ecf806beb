// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Synchronization

/// The state that the device wall shows: the first devices of the world, and what changes on them.
struct DeviceWall: Sendable {
    /// The largest number of tiles.
    static let maximumTiles = 1000
    /// The time between two messages of a stream.
    private static let interval = Duration.milliseconds(100)
    /// The number of intervals without a change after which a stream sends a comment: 15 seconds.
    private static let quietIntervals = 150

    let simulator: APNsSimulator
    var limit = Self.maximumTiles

    /// The parts of the state that no event announces.
    private struct Version: Equatable {
        var clockChange: Int
        var devices: Int
        var accepted: Int
        var rejected: Int
        var delivered: Int
        var stored: Int
    }

    /// The first devices with the time and the counters.
    func snapshot() -> JSONOutput { .object(self.state(at: self.version())) }

    /// Writes server-sent events until the feed of events ends: a snapshot, then changes.
    ///
    /// - Throws: The error of `write`, which fails when the client has disconnected.
    func stream(_ write: (ByteBuffer) async throws -> Void) async throws {
        let changes = WallChanges()
        let events = self.simulator.core.events.read(bufferingNewest: self.simulator.configuration.deliveryBuffer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                for await event in events { changes.add(event) }
                changes.finish()
            }
            try await self.follow(changes, write)
        }
    }

    private func follow(_ changes: WallChanges, _ write: (ByteBuffer) async throws -> Void) async throws {
        var version = self.version()
        try await write(Self.message("snapshot", self.state(at: version)))
        var quiet = 0
        while true {
            try await Task.sleep(for: Self.interval)
            let news = changes.take()
            if news.isFinished { return }
            let current = self.version()
            if news.events.isEmpty, current == version {
                quiet += 1
                guard quiet == Self.quietIntervals else { continue }
                quiet = 0
                try await write(ByteBuffer(string: ": no change\n\n"))
                continue
            }
            quiet = 0
            if current.clockChange == version.clockChange {
                try await write(Self.message("changes", self.state(at: current, news, since: version)))
            } else {
                // The time was moved, or the world was replaced.
                try await write(Self.message("snapshot", self.state(at: current, news)))
            }
            version = current
        }
    }

    private func version() -> Version {
        let statistics = self.simulator.statistics
        return Version(
            clockChange: self.simulator.core.followers.change,
            devices: statistics.devices,
            accepted: statistics.accepted,
            rejected: statistics.rejected.values.reduce(0, +),
            delivered: statistics.delivered,
            stored: statistics.stored
        )
    }

    /// All tiles, or those of the devices that changed or are new since `old`, the version of the last message.
    ///
    /// `version` is the one from before the call, so the next message has what changes during the call.
    private func state(
        at version: Version,
        _ news: WallChanges.News? = nil,
        since old: Version? = nil
    ) -> [(String, JSONOutput)] {
        let tiles = self.simulator.core.withWorld { world in
            let rows = min(self.limit, world.devices.count)
            let changed: [Int]
            if let news, let old, let devices = news.devices {
                let indexes = devices.compactMap { world.devices.index(of: $0) }.map { Int($0.rawValue) }
                let new = min(old.devices, rows)..<rows
                changed = Set(indexes.filter { $0 < rows }).union(new).sorted()
            } else {
                changed = Array(0..<rows)
            }
            return changed.map { world.tile(DeviceIndex(rawValue: Int32($0))) }
        }
        var members: [(String, JSONOutput)] = [
            ("now", .date(self.simulator.now)),
            ("scale", .decimal(self.simulator.timeScale)),
            (
                "counters",
                .object([
                    ("accepted", .integer(version.accepted)), ("rejected", .integer(version.rejected)),
                    ("delivered", .integer(version.delivered)), ("stored", .integer(version.stored)),
                    ("devices", .integer(version.devices)),
                ])
            ),
            ("devices", .array(tiles.map(\.output))),
        ]
        if let news {
            members.append(("events", .array(news.events.map(\.output))))
            members.append(("skippedEvents", .integer(news.skipped)))
        }
        return members
    }

    private static func message(_ name: String, _ members: [(String, JSONOutput)]) -> ByteBuffer {
        var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
        buffer.writeLine(.object(members))
        buffer.writeString("\n")
        return buffer
    }
}

/// The events between two messages of a wall's stream.
private final class WallChanges: Sendable {
    struct News: Sendable {
        /// The latest events, oldest first.
        var events: [SimulatorEvent] = []
        /// The number of older events, and of those that the feed dropped.
        var skipped = 0
        /// The sequence number of the latest event; 0 before the first.
        var sequence: UInt64 = 0
        /// The devices of all events; `nil` if there are too many, or unknown ones.
        var devices: Set<VirtualDeviceID>? = []
        var isFinished = false
    }

    /// The largest number of events in a message.
    private static let maximumEvents = 50

    private let news = Mutex(News())

    func add(_ event: SimulatorEvent) {
        self.news.withLock { news in
            if news.sequence > 0, event.sequence > news.sequence + 1 {
                // The feed dropped events, because this reader was too slow.
                news.skipped += Int(clamping: event.sequence - news.sequence - 1)
                news.devices = nil
            }
            if let device = event.device { news.devices?.insert(device) }
            if let count = news.devices?.count, count > DeviceWall.maximumTiles { news.devices = nil }
            news.sequence = event.sequence
            news.events.append(event)
            // Removed in groups, because each removal moves the others.
            guard news.events.count == 2 * Self.maximumEvents else { return }
            news.events.removeFirst(Self.maximumEvents)
            news.skipped += Self.maximumEvents
        }
    }

    func finish() { self.news.withLock { $0.isFinished = true } }

    /// Removes and returns what has happened since the last call.
    func take() -> News {
        var news = self.news.withLock { news in
            defer {
                news.events = []
                news.skipped = 0
                news.devices = []
            }
            return news
        }
        let surplus = max(0, news.events.count - Self.maximumEvents)
        news.events.removeFirst(surplus)
        news.skipped += surplus
        return news
    }
}
