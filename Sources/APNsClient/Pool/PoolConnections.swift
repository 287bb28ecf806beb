// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// The connections of a pool; decides whether to open another one.
///
/// A pure state machine: the caller passes the time.
struct PoolConnections {
    struct Member {
        var phase = Phase.opening
        /// `nil` until the connection is ready.
        var handle: ConnectionHandle?
        /// Whether the connection must be woken for work; otherwise it is busy, and looks for more work afterwards.
        var isHungry = false
        var standing = ConnectionHealth.silent
        /// The least time that an answer took; `nil` before the first.
        var roundTrip: TimeAmount?
        /// Whether the connection takes work.
        var isReady: Bool { if case .ready = self.phase { true } else { false } }
    }

    enum Phase {
        /// TCP, TLS and the server's settings are awaited. Can transition to: `ready`, gone.
        case opening
        /// Takes work. Can transition to: `draining`, gone.
        case ready
        /// Waits for its last answers. Can transition to: gone.
        case draining
    }

    /// How many connections keep this process busy where APNs is near.
    static let nearby = 4

    private let maximum: Int
    /// How much must wait before another connection is opened beside working ones.
    private let backlogForAnother: Int
    private var backoff: ExponentialBackoff
    private var trialBackoff: ExponentialBackoff
    private var nextTrial = NIODeadline.uptimeNanoseconds(0)
    private var nextID = 0
    private(set) var members: [Int: Member] = [:]
    private(set) var notBefore = NIODeadline.uptimeNanoseconds(0)
    /// Why there is no connection; `nil` while one is ready, and after one that had served.
    private(set) var lastError: String? = "none was up in time"

    init(_ configuration: APNsClientConfiguration) {
        self.maximum = max(1, configuration.maximumConnections)
        self.backlogForAnother = max(1, configuration.maximumStreams / 4)
        self.backoff = ExponentialBackoff(minimum: configuration.minimumBackoff, maximum: configuration.maximumBackoff)
        self.trialBackoff = self.backoff
    }

    /// Decides whether to open a connection, and records it.
    ///
    /// At most as many connections are being opened as have been ready, and at least one. So their number doubles with
    /// each round trip, and a server that rejects connections is not flooded.
    /// - Returns: the new connection's ID.
    mutating func openIfNeeded(backlog: Int, now: NIODeadline) -> Int? {
        guard backlog > 0, now >= self.notBefore else { return nil }
        var opening = 0
        var working = 0
        var served = 0
        var roundTrip: TimeAmount?
        for member in self.members.values {
            switch member.phase {
            case .opening: opening += 1
            case .ready:
                if member.isHungry { return nil }
                working += 1
                if member.standing == .served { served += 1 }
                if let time = member.roundTrip { roundTrip = min(roundTrip ?? time, time) }
            case .draining: break
            }
        }
        guard opening < max(1, served) else { return nil }
        if working + opening > 0 {
            guard working + opening < self.wanted(roundTrip), backlog >= self.backlogForAnother else { return nil }
        }
        self.nextID += 1
        self.members[self.nextID] = Member()
        return self.nextID
    }

    /// The useful number of connections.
    ///
    /// The window of a connection allows about 280 small requests per round trip. With one more connection for each
    /// millisecond of the round trip, the rate per second does not depend on the distance of APNs.
    private func wanted(_ roundTrip: TimeAmount?) -> Int {
        let milliseconds = (roundTrip?.nanoseconds ?? 0) / 1_000_000
        return min(self.maximum, Self.nearby + Int(clamping: milliseconds))
    }

    mutating func ready(_ handle: ConnectionHandle) {
        self.lastError = nil
        self.members[handle.id] = Member(phase: .ready, handle: handle)
    }

    /// Takes note of a connection's answers: only they prove that it is worth having.
    mutating func answered(_ id: Int, _ standing: ConnectionHealth, roundTrip: TimeAmount) {
        guard self.members[id] != nil else { return }
        self.members[id]?.standing = standing
        self.members[id]?.roundTrip = roundTrip
        self.backoff.reset()
        guard standing == .served else { return }
        self.trialBackoff.reset()
        self.nextTrial = .uptimeNanoseconds(0)
    }

    /// Decides whether to try a target that APNs refused on a connection without successful requests on another one.
    ///
    /// There is one trial per pause, and the pauses grow: an error of every connection is returned to the callers,
    /// without reconnecting to APNs again and again.
    mutating func mayTryElsewhere(now: NIODeadline, using generator: inout some RandomNumberGenerator) -> Bool {
        guard now >= self.nextTrial else { return false }
        self.nextTrial = now + self.trialBackoff.failed(using: &generator)
        return true
    }

    mutating func markHungry(_ id: Int) {
        if case .ready = self.members[id]?.phase { self.members[id]?.isHungry = true }
    }

    /// Takes the connections that wait for work, at most as many as there is work for.
    mutating func wakeHungry(backlog: Int) -> [ConnectionHandle] {
        guard backlog > 0 else { return [] }
        var woken: [ConnectionHandle] = []
        let wanted = 1 + backlog / 64
        for (id, member) in self.members where woken.count < wanted {
            guard case .ready = member.phase, member.isHungry, let handle = member.handle else { continue }
            self.members[id]?.isHungry = false
            woken.append(handle)
        }
        return woken
    }

    mutating func draining(_ id: Int) {
        if case .ready = self.members[id]?.phase { self.members[id]?.phase = .draining }
    }

    /// Forgets the connections that are not open yet: nothing is in flight on them.
    mutating func abandonOpening() {
        self.members = self.members.filter { $0.value.handle != nil }
    }

    /// Removes a connection.
    ///
    /// A connection without any response of APNs counts as a failure, even if it was ready: a server that accepts
    /// connections and closes them again must not be reconnected to without a pause.
    /// - Returns: whether it had never been ready; `nil` if it was removed before.
    mutating func gone(
        _ id: Int,
        error: String?,
        now: NIODeadline,
        using generator: inout some RandomNumberGenerator
    ) -> Bool? {
        guard let member = self.members.removeValue(forKey: id) else { return nil }
        if member.standing > .silent {
            self.backoff.reset()
            self.notBefore = now
        } else {
            self.notBefore = now + self.backoff.failed(using: &generator)
            // One that fails beside others that work is no reason why anything was not sent.
            if !self.members.values.contains(where: \.isReady) {
                self.lastError = error ?? "the server closed the connection before its first response"
            }
        }
        return member.handle == nil
    }

    /// Every connection that can be spoken to.
    var handles: [ConnectionHandle] { self.members.values.compactMap(\.handle) }
}

/// A connection as other threads know it.
struct ConnectionHandle: Sendable {
    let id: Int
    let connection: NIOLoopBound<APNsConnection>
    let eventLoop: any EventLoop

    /// Wakes the connection, because there is work.
    func wake() {
        self.eventLoop.execute { self.connection.value.wake() }
    }

    /// Lets the connection accept no more work and close after its last response.
    func drain() {
        self.eventLoop.execute { self.connection.value.drain() }
    }

    func close() {
        self.eventLoop.execute { self.connection.value.close() }
    }
}

/// The health of a connection.
enum ConnectionHealth: Int, Comparable {
    /// Nothing was answered on it.
    case silent
    /// APNs is reachable, but asked to send all requests on another connection.
    case answered
    /// At least one notification was accepted, or rejected for its own sake.
    case served

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The delay before reconnecting: exponential, bounded, and with jitter.
struct ExponentialBackoff {
    private let minimum: TimeAmount
    private let maximum: TimeAmount
    private var failures = 0

    init(minimum: Duration, maximum: Duration) {
        self.minimum = TimeAmount(minimum)
        self.maximum = TimeAmount(maximum)
    }

    /// Restarts with the shortest delay.
    mutating func reset() {
        self.failures = 0
    }

    /// The pause after one more failure: half of it fixed, half of it drawn by chance.
    mutating func failed(using generator: inout some RandomNumberGenerator) -> TimeAmount {
        let doubled = self.minimum.nanoseconds << min(self.failures, 20)
        self.failures += 1
        let bound = min(doubled, self.maximum.nanoseconds)
        return .nanoseconds(bound / 2 + Int64.random(in: 0...max(1, bound / 2), using: &generator))
    }
}
