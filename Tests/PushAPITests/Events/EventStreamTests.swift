// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOHTTP1
import PushModel
import Testing

@Suite("The feed as a live stream", .timeLimit(.minutes(20)))
struct EventStreamTests {
    private static var live: TestSetup {
        var setup = TestSetup()
        setup.hasSocket = true
        return setup
    }

    /// A setup whose clock stands still, and the clock.
    private static func stopped() -> (setup: TestSetup, clock: TestClock) {
        let clock = TestClock()
        var setup = Self.live
        setup.clock = clock
        return (setup, clock)
    }

    @Test("server-sent events carry id, kind and event, those of before and those that come")
    func serverSent() async throws {
        try await withAPI(Self.live) { api async throws in
            try await api.append(0..<2)
            try await withHTTPClient { client in
                var reader = try await EventReader.open(client, api)
                #expect(reader.response.headers["content-type"] == ["text/event-stream"])
                #expect(reader.response.headers["cache-control"] == ["no-cache"])
                #expect(try await reader.line() == "retry: 2000")
                let first = try #require(try await reader.event())
                #expect(first.kind == "sushi.served" && first.number == 0)
                #expect(first.id == first.json["id"]?.text)
                #expect(try await reader.numbers(1) == [1])
                try await api.append(2..<4)
                #expect(try await reader.numbers(2) == [2, 3])
            }
        }
    }

    @Test("lines are the events of the pages")
    func lines() async throws {
        try await withAPI(Self.live) { api async throws in
            try await api.append(0..<2)
            let page = try await api.call(.get, "/v1/apps/\(TestAPI.app)/events")
            try await withHTTPClient { client in
                var reader = try await EventReader.open(client, api, format: "application/x-ndjson")
                #expect(reader.response.headers["content-type"] == ["application/x-ndjson"])
                for event in page.json["events"]?.elements ?? [] {
                    #expect(try await reader.event()?.json == event)
                }
            }
        }
    }

    @Test("a stream from now on, and one of a few kinds, get what they ask for")
    func selection() async throws {
        try await withAPI(Self.live) { api async throws in
            try await api.append(0..<2)
            try await withHTTPClient { client in
                var latest = try await EventReader.open(client, api, query: "?cursor=latest")
                var eaten = try await EventReader.open(client, api, query: "?types=device.suspected")
                #expect(try await latest.line() == "retry: 2000")
                #expect(try await eaten.line() == "retry: 2000")
                try await api.append(2..<3, kind: "device.suspected")
                #expect(try await latest.numbers(1) == [2])
                #expect(try await eaten.numbers(1) == [2])
            }
        }
    }

    @Test("a reader that comes back again and again while others write misses nothing and sees nothing twice")
    func resuming() async throws {
        try await withAPI(Self.live) { api async throws in
            let writers = 3
            let each = 60
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0..<each { try await api.append([writer * 1000 + number]) }
                    }
                }
                var seen: [Int] = []
                var lastID: String?
                while seen.count < writers * each {
                    // Some readers leave in the middle of a page, some after one event.
                    let portion = min(1 + seen.count % 17, writers * each - seen.count)
                    let resumed = lastID
                    (seen, lastID) = try await withHTTPClient { client in
                        var reader = try await EventReader.open(client, api, lastID: resumed)
                        var (numbers, last) = (seen, resumed)
                        for _ in 0..<portion {
                            let event = try #require(try await reader.event())
                            numbers.append(try #require(event.number))
                            last = event.id
                        }
                        return (numbers, last)
                    }
                }
                try await group.waitForAll()
                #expect(Set(seen).count == writers * each)
                for writer in 0..<writers {
                    #expect(seen.filter { $0 / 1000 == writer } == (0..<each).map { writer * 1000 + $0 })
                }
            }
        }
    }

    @Test(
        "when nothing happens, a heartbeat comes every 15 seconds",
        arguments: ["text/event-stream", "application/x-ndjson"]
    )
    func heartbeat(format: String) async throws {
        let (setup, clock) = Self.stopped()
        try await withAPI(setup) { api async throws in
            try await withHTTPClient { client in
                var reader = try await EventReader.open(client, api, format: format)
                let isServerSent = format == "text/event-stream"
                #expect(try await reader.line() == (isServerSent ? "retry: 2000" : ""))
                if isServerSent { #expect(try await reader.line() == "") }
                for _ in 0..<3 {
                    try await clock.fire(timerDueIn: .seconds(15))
                    #expect(try await reader.line() == (isServerSent ? ": heartbeat" : ""))
                    if isServerSent { #expect(try await reader.line() == "") }
                }
                try await api.append([7])
                #expect(try await reader.numbers(1) == [7])
            }
        }
    }

    @Test("a reader that is gone is noticed, and its stream ends")
    func goneReader() async throws {
        let (stopped, clock) = Self.stopped()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var setup = stopped
        setup.clock = WatchedClock(base: clock, cancelled: end)
        try await withAPI(setup) { api async throws in
            try await withHTTPClient { client in
                var reader = try await EventReader.open(client, api)
                #expect(try await reader.line() == "retry: 2000")
                try await clock.timer(dueIn: .seconds(15))
            }
            // At the latest the second heartbeat cannot be written: the first is the one that a dead socket refuses.
            try await clock.pass(upTo: .seconds(1_000_000)) { try await ends.nextElement() }
        }
    }

    @Test("a stream ends a second after its key is revoked, and its app is deleted", arguments: [true, false])
    func ended(byKey: Bool) async throws {
        let (setup, clock) = Self.stopped()
        try await withAPI(setup) { api async throws in
            let key = try await api.key(scopes: [.read])
            try await withHTTPClient { client in
                var reader = try await EventReader.open(client, api, key: key.text)
                #expect(try await reader.line() == "retry: 2000")
                try await clock.timer(dueIn: .seconds(1))
                let path = byKey ? "/v1/keys/\(key.id)" : "/v1/apps/\(TestAPI.app)"
                #expect(try await api.call(.delete, path).status == 204)
                clock.advance(by: .seconds(1))
                #expect(try await reader.event()?.json == nil)
            }
        }
    }

    @Test("a stream gets the events that other processes wrote, without a signal")
    func silent() async throws {
        let (stopped, clock) = Self.stopped()
        var setup = stopped
        setup.wrap = { SilentStore(base: $0) }
        try await withAPI(setup) { api async throws in
            try await withHTTPClient { client in
                var reader = try await EventReader.open(client, api)
                #expect(try await reader.line() == "retry: 2000")
                try await clock.timer(dueIn: .seconds(1))
                try await api.append([1])
                clock.advance(by: .seconds(1))
                #expect(try await reader.numbers(1) == [1])
            }
        }
    }
}

/// A clock that reports when a sleep is cancelled.
private struct WatchedClock: Clock {
    let base: TestClock
    let cancelled: AsyncStream<Void>.Continuation

    var now: TestClock.Instant { self.base.now }
    var minimumResolution: Duration { self.base.minimumResolution }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        do {
            try await self.base.sleep(until: deadline, tolerance: tolerance)
        } catch {
            self.cancelled.yield()
            throw error
        }
    }
}
