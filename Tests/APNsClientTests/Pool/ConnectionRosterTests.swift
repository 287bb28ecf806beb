// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import NIOEmbedded
import Testing

@testable import APNsClient

@Suite("The roster of connections")
struct ConnectionRosterTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private var generator = SystemRandomNumberGenerator()

    private static func roster(maximumConnections: Int = 4) -> PoolConnections {
        var configuration = APNsClientConfiguration()
        configuration.maximumConnections = maximumConnections
        configuration.maximumStreams = 100
        return PoolConnections(configuration)
    }

    private static func handle(_ id: Int) throws -> ConnectionHandle {
        let eventLoop = EmbeddedEventLoop()
        let pool = try ConnectionPool(
            destination: APNsDestination(
                endpoint: APNsEndpoint(host: "127.0.0.1"),
                credential: try PuppetAuthority().certificate()
            ),
            lane: .urgent,
            configuration: APNsClientConfiguration(),
            group: eventLoop,
            logger: .silent,
            metrics: NoOpMetrics()
        )
        let connection = APNsConnection(id: id, pool: pool, eventLoop: eventLoop)
        return ConnectionHandle(
            id: id,
            connection: NIOLoopBound(connection, eventLoop: eventLoop),
            eventLoop: eventLoop
        )
    }

    @Test("without work there is no connection, with work there is one, and one is opened at a time")
    func first() {
        var roster = Self.roster()
        #expect(roster.openIfNeeded(backlog: 0, now: self.start) == nil)
        #expect(roster.openIfNeeded(backlog: 1, now: self.start) == 1)
        #expect(roster.openIfNeeded(backlog: 5000, now: self.start) == nil)
        #expect(roster.handles.isEmpty)
    }

    @Test("another connection is opened for a long queue, up to the maximum")
    func growth() throws {
        var roster = Self.roster(maximumConnections: 2)
        #expect(roster.openIfNeeded(backlog: 30, now: self.start) == 1)
        roster.ready(try Self.handle(1))
        #expect(roster.openIfNeeded(backlog: 24, now: self.start) == nil)
        #expect(roster.openIfNeeded(backlog: 25, now: self.start) == 2)
        roster.ready(try Self.handle(2))
        #expect(roster.openIfNeeded(backlog: 5000, now: self.start) == nil)
        roster.draining(1)
        #expect(roster.openIfNeeded(backlog: 25, now: self.start) == 3)
    }

    @Test("far away, there is one connection more for each millisecond of the round trip, and their number doubles")
    func farAway() throws {
        var roster = Self.roster(maximumConnections: 64)
        var open: [Int] = []
        var generations: [Int] = []
        while open.count < 30 {
            var opened: [Int] = []
            while let id = roster.openIfNeeded(backlog: 5000, now: self.start) { opened.append(id) }
            guard !opened.isEmpty else { break }
            for id in opened {
                roster.ready(try Self.handle(id))
                roster.answered(id, .served, roundTrip: .milliseconds(20))
            }
            open += opened
            generations.append(opened.count)
        }
        #expect(generations == [1, 1, 2, 4, 8, 8])
        #expect(open.count == PoolConnections.nearby + 20)
    }

    @Test("near by, and at the maximum, no more are opened however much waits")
    func nearBy() throws {
        for (maximum, milliseconds, expected) in [(64, Int64(0), 4), (6, 50, 6)] {
            var roster = Self.roster(maximumConnections: maximum)
            var count = 0
            while let id = roster.openIfNeeded(backlog: 5000, now: self.start) {
                roster.ready(try Self.handle(id))
                roster.answered(id, .served, roundTrip: .milliseconds(milliseconds))
                count += 1
            }
            #expect(count == expected)
        }
    }

    @Test("a connection that waits for work keeps others from being opened")
    func hunger() throws {
        var roster = Self.roster()
        _ = roster.openIfNeeded(backlog: 1, now: self.start)
        roster.ready(try Self.handle(1))
        roster.markHungry(1)
        #expect(roster.openIfNeeded(backlog: 100, now: self.start) == nil)
    }

    @Test("those that wait are woken once, as many as there is work for")
    func waking() throws {
        var roster = Self.roster()
        for id in 1...3 {
            roster.ready(try Self.handle(id))
            roster.markHungry(id)
        }
        #expect(roster.wakeHungry(backlog: 0).isEmpty)
        #expect(roster.wakeHungry(backlog: 10).count == 1)
        #expect(roster.wakeHungry(backlog: 200).count == 2)
        #expect(roster.wakeHungry(backlog: 200).isEmpty)
        roster.markHungry(2)
        #expect(roster.wakeHungry(backlog: 1).map(\.id) == [2])
    }

    @Test("a connection that drains is not woken")
    func draining() throws {
        var roster = Self.roster()
        roster.ready(try Self.handle(1))
        roster.markHungry(1)
        roster.draining(1)
        #expect(roster.wakeHungry(backlog: 10).isEmpty)
        #expect(roster.handles.map(\.id) == [1])
    }

    @Test("after a failure to open there is a pause, and the reason is kept until a connection is ready")
    mutating func failure() throws {
        var roster = Self.roster()
        _ = roster.openIfNeeded(backlog: 1, now: self.start)
        #expect(roster.gone(1, error: "refused", now: self.start, using: &self.generator) == true)
        #expect(roster.gone(1, error: "again", now: self.start, using: &self.generator) == nil)
        #expect(roster.lastError == "refused")
        #expect(roster.openIfNeeded(backlog: 1, now: self.start + .milliseconds(499)) == nil)
        #expect(roster.openIfNeeded(backlog: 1, now: self.start + .seconds(1)) == 2)
        roster.ready(try Self.handle(2))
        #expect(roster.lastError == nil)
    }

    @Test("a connection on which nothing was ever answered counts as a failure, one that worked does not")
    mutating func answers() throws {
        var roster = Self.roster()
        _ = roster.openIfNeeded(backlog: 1, now: self.start)
        roster.ready(try Self.handle(1))
        #expect(roster.gone(1, error: nil, now: self.start, using: &self.generator) == false)
        #expect(roster.lastError != nil)
        #expect(roster.openIfNeeded(backlog: 1, now: self.start) == nil)
        #expect(roster.openIfNeeded(backlog: 1, now: self.start + .seconds(1)) == 2)
        roster.ready(try Self.handle(2))
        roster.answered(2, .served, roundTrip: .microseconds(100))
        #expect(roster.gone(2, error: "lost", now: self.start, using: &self.generator) == false)
        #expect(roster.openIfNeeded(backlog: 1, now: self.start) == 3)
    }

    @Test("a connection whose only answers sent work away is no failure")
    mutating func sentAway() throws {
        var roster = Self.roster()
        _ = roster.openIfNeeded(backlog: 1, now: self.start)
        roster.ready(try Self.handle(1))
        roster.answered(1, .answered, roundTrip: .microseconds(100))
        roster.draining(1)
        #expect(roster.openIfNeeded(backlog: 1, now: self.start) == 2)
        #expect(roster.gone(1, error: nil, now: self.start, using: &self.generator) == false)
        roster.ready(try Self.handle(2))
        #expect(roster.lastError == nil)
        roster.answered(2, .answered, roundTrip: .microseconds(100))
        roster.draining(2)
        #expect(roster.openIfNeeded(backlog: 1, now: self.start) == 3)
    }

    @Test("what every connection sends away is tried elsewhere once in each pause, and at once after a success")
    mutating func trials() throws {
        var roster = Self.roster()
        roster.ready(try Self.handle(1))
        func mayTry(at seconds: Double, _ roster: inout PoolConnections) -> Bool {
            let now = self.start + .nanoseconds(Int64(seconds * 1e9))
            var generator = SystemRandomNumberGenerator()
            return roster.mayTryElsewhere(now: now, using: &generator)
        }
        // Pauses of one second, two and four, of which half is left to chance.
        #expect(mayTry(at: 0, &roster))
        #expect(!mayTry(at: 0.4, &roster))
        #expect(mayTry(at: 1, &roster))
        #expect(!mayTry(at: 1.9, &roster))
        #expect(mayTry(at: 3, &roster))
        #expect(!mayTry(at: 4.9, &roster))
        roster.answered(1, .answered, roundTrip: .microseconds(100))
        #expect(!mayTry(at: 4.9, &roster))
        roster.answered(1, .served, roundTrip: .microseconds(100))
        #expect(mayTry(at: 4.9, &roster))
        #expect(!mayTry(at: 5.3, &roster))
        #expect(mayTry(at: 5.9, &roster))
    }

    @Test("a connection that fails while another one is ready is no reason why nothing is sent")
    mutating func failureBesideOthers() throws {
        var roster = Self.roster()
        #expect(roster.lastError != nil, "before the first connection there is none")
        _ = roster.openIfNeeded(backlog: 100, now: self.start)
        roster.ready(try Self.handle(1))
        #expect(roster.openIfNeeded(backlog: 100, now: self.start) == 2)
        #expect(roster.gone(2, error: "refused", now: self.start, using: &self.generator) == true)
        #expect(roster.lastError == nil)
        #expect(roster.openIfNeeded(backlog: 100, now: self.start) == nil, "there is a pause all the same")
        roster.answered(1, .served, roundTrip: .microseconds(100))
        #expect(roster.gone(1, error: "lost", now: self.start, using: &self.generator) == false)
        #expect(roster.lastError == nil)
    }

    @Test("connections that are not open yet can be forgotten")
    func abandon() throws {
        var roster = Self.roster()
        roster.ready(try Self.handle(7))
        roster.draining(7)
        _ = roster.openIfNeeded(backlog: 1, now: self.start)
        roster.abandonOpening()
        #expect(roster.members.keys.sorted() == [7])
    }
}
