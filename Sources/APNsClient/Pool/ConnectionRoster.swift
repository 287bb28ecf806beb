// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// Which connections a pool has, and whether it should have one more.
///
/// A value without a lock or a clock.
struct ConnectionRoster {
    struct Member {
        var phase = Phase.opening
        /// `nil` until the connection is ready.
        var handle: ConnectionHandle?
        /// Whether the connection is to be woken for work; otherwise it is at work, and looks for more by itself.
        var isHungry = false
        var standing = ConnectionStanding.silent
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
    private var backoff: Backoff
    private var trialBackoff: Backoff
    private var nextTrial = NIODeadline.uptimeNanoseconds(0)
    private var nextID = 0
    private(set) var members: [Int: Member] = [:]
    private(set) var notBefore = NIODeadline.uptimeNanoseconds(0)
    /// Why there is no connection; `nil` while one is ready, and after one that had served.
    private(set) var lastError: String? = "none was up in time"

    init(_ configuration: APNsClientConfiguration) {
        self.maximum = max(1, configuration.maximumConnections)
        self.backlogForAnother = max(1, configuration.maximumStreams / 4)
        self.backoff = Backoff(minimum: configuration.minimumBackoff, maximum: configuration.maximumBackoff)
        self.trialBackoff = self.backoff
    }

    /// Decides whether to open a connection, and takes note of it.
    ///
    /// As many may be opening as have served, one at least: so their number doubles with each round trip, and a server
    /// that serves nobody is not stormed.
    /// - Returns: the new connection's id.
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

    /// How many connections are worth having.
    ///
    /// The window of a connection lets about 280 small requests out in a round trip; with one connection more for each
    /// millisecond of it, what goes out in a second stays the same however far away APNs is.
    private func wanted(_ roundTrip: TimeAmount?) -> Int {
        let milliseconds = (roundTrip?.nanoseconds ?? 0) / 1_000_000
        return min(self.maximum, Self.nearby + Int(clamping: milliseconds))
    }

    mutating func ready(_ handle: ConnectionHandle) {
        self.lastError = nil
        self.members[handle.id] = Member(phase: .ready, handle: handle)
    }

    /// Takes note of a connection's answers: only they prove that it is worth having.
    mutating func answered(_ id: Int, _ standing: ConnectionStanding, roundTrip: TimeAmount) {
        guard self.members[id] != nil else { return }
        self.members[id]?.standing = standing
        self.members[id]?.roundTrip = roundTrip
        self.backoff.reset()
        guard standing == .served else { return }
        self.trialBackoff.reset()
        self.nextTrial = .uptimeNanoseconds(0)
    }

    /// Decides whether what APNs sent away from a connection that has served nothing is tried on another one.
    ///
    /// One trial for each pause, and the pauses grow: what is wrong with every connection is told to the callers, and
    /// APNs is not connected to over and over.
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

    /// Takes note that a connection is gone.
    ///
    /// One that APNs never answered on counts as a failure, ready or not: a server that lets everybody in and shows
    /// them out again must not be connected to without a pause.
    /// - Returns: whether it had never been ready; `nil` for one that was known to be gone.
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
                self.lastError = error ?? "the server closed the connection before it answered anything"
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

    /// Tells the connection that there is work.
    func wake() {
        self.eventLoop.execute { self.connection.value.wake() }
    }

    /// Tells the connection to take no more work and to close after its last answer.
    func drain() {
        self.eventLoop.execute { self.connection.value.drain() }
    }

    func close() {
        self.eventLoop.execute { self.connection.value.close() }
    }
}

/// What a connection has proved to be good for.
enum ConnectionStanding: Int, Comparable {
    /// Nothing was answered on it.
    case silent
    /// APNs can be reached, but asked for whatever was sent to be sent elsewhere.
    case answered
    /// At least one notification was accepted, or rejected for its own sake.
    case served

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// How long to wait before connecting anew: doubling, bounded, and never the same for two clients.
struct Backoff {
    private let minimum: TimeAmount
    private let maximum: TimeAmount
    private var failures = 0

    init(minimum: Duration, maximum: Duration) {
        self.minimum = TimeAmount(minimum)
        self.maximum = TimeAmount(maximum)
    }

    /// Begins anew with the shortest pause.
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
