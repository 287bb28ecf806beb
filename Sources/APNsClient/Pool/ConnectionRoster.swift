// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// Which connections a pool has, and whether it should have one more. A value without a lock or a clock.
struct ConnectionRoster {
    enum Phase {
        /// TCP, TLS and the server's settings are awaited. Can transition to: `ready`, gone.
        case opening
        /// Takes work. Can transition to: `draining`, gone.
        case ready(ConnectionHandle, isHungry: Bool)
        /// Waits for its last answers. Can transition to: gone.
        case draining(ConnectionHandle)
    }

    private let maximum: Int
    /// How much must wait before another connection is opened beside working ones.
    private let backlogForAnother: Int
    private var backoff: Backoff
    private var nextID = 0
    private(set) var members: [Int: Phase] = [:]
    private(set) var notBefore = NIODeadline.uptimeNanoseconds(0)
    /// The last failure to open a connection since one was open.
    private(set) var lastError: String?

    init(_ configuration: APNsClientConfiguration) {
        self.maximum = max(1, configuration.maximumConnections)
        self.backlogForAnother = max(1, configuration.maximumStreams / 4)
        self.backoff = Backoff(minimum: configuration.minimumBackoff, maximum: configuration.maximumBackoff)
    }

    /// Decides whether to open a connection, one at a time, and takes note of it.
    ///
    /// - Returns: the new connection's id.
    mutating func openIfNeeded(backlog: Int, now: NIODeadline) -> Int? {
        guard backlog > 0, now >= self.notBefore else { return nil }
        var working = 0
        for case let phase in self.members.values {
            switch phase {
            case .opening: return nil
            case .ready(_, let isHungry):
                if isHungry { return nil }
                working += 1
            case .draining: break
            }
        }
        guard working == 0 || (working < self.maximum && backlog >= self.backlogForAnother) else { return nil }
        self.nextID += 1
        self.members[self.nextID] = .opening
        return self.nextID
    }

    mutating func ready(_ handle: ConnectionHandle) {
        self.backoff.connected()
        self.lastError = nil
        self.members[handle.id] = .ready(handle, isHungry: false)
    }

    mutating func markHungry(_ id: Int) {
        if case .ready(let handle, _) = self.members[id] { self.members[id] = .ready(handle, isHungry: true) }
    }

    /// Takes the connections that wait for work, at most as many as there is work for.
    mutating func wakeHungry(backlog: Int) -> [ConnectionHandle] {
        var woken: [ConnectionHandle] = []
        let wanted = 1 + backlog / 64
        for case (let id, .ready(let handle, isHungry: true)) in self.members where woken.count < wanted {
            self.members[id] = .ready(handle, isHungry: false)
            woken.append(handle)
        }
        return woken
    }

    mutating func draining(_ id: Int) {
        if case .ready(let handle, _) = self.members[id] { self.members[id] = .draining(handle) }
    }

    /// Takes note that a connection is gone.
    ///
    /// - Returns: whether it had never been ready; `nil` for one that was known to be gone.
    mutating func gone(
        _ id: Int,
        error: String?,
        now: NIODeadline,
        using generator: inout some RandomNumberGenerator
    ) -> Bool? {
        guard let phase = self.members.removeValue(forKey: id) else { return nil }
        guard case .opening = phase else { return false }
        self.lastError = error ?? "the server closed the connection before it was ready"
        self.notBefore = now + self.backoff.failed(using: &generator)
        return true
    }

    /// Every connection that can be spoken to.
    var handles: [ConnectionHandle] {
        self.members.values.compactMap { phase in
            switch phase {
            case .opening: nil
            case .ready(let handle, _), .draining(let handle): handle
            }
        }
    }
}

/// A connection as other threads know it.
struct ConnectionHandle: Sendable {
    let id: Int
    let connection: NIOLoopBound<APNsConnection>
    let eventLoop: any EventLoop

    /// Tells the connection that there is work.
    func wake() {
        self.eventLoop.execute { self.connection.value.wake() }
    }

    /// Tells the connection to take no more work and to close after its last answer.
    func drain() {
        self.eventLoop.execute { self.connection.value.drain() }
    }

    /// Closes the connection at once.
    func close() {
        self.eventLoop.execute { self.connection.value.close() }
    }
}
