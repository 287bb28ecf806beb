// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import ApusKit

@Suite("The refresh of a day", .timeLimit(.minutes(20)))
struct DayRefreshTests {
    /// An error whose text says what must not be in a log.
    private struct SecretError: Error, CustomStringConvertible {
        let description = "the dashboard of ann"
    }

    private func push(_ device: String, _ arrival: PushContext = .foreground) throws -> Push {
        let payload: [String: Any] = ["aps": ["badge": 1], "action": "refresh_dashboard", "device_id": device]
        return try Push(
            userInfo: Dictionary(uniqueKeysWithValues: payload.map { (AnyHashable($0.key), $0.value) }),
            arrival: arrival
        )
    }

    @Test("clears the day at the device's place and loads it; in the background that is done when the app is opened")
    func places() async throws {
        // 2025-10-12 22:30 in UTC is the 13th in Tokyo and the 12th in New York.
        let now = Date(timeIntervalSince1970: 1_760_308_200)
        let zones = ["a": "Asia/Tokyo", "b": "America/New_York"]
        let zone: @Sendable (String) -> TimeZone = { TimeZone(identifier: zones[$0] ?? "GMT") ?? .current }
        let cache = DayCache<Int>()
        let keys = ["a", "b"].map { DayKey($0, at: now, in: zone($0)) }
        #expect(keys.map(\.description) == ["a_2025-10-13", "b_2025-10-12"])
        for key in keys { await cache.set(1, for: key) }
        let (loads, loaded) = AsyncStream.makeStream(of: String.self)
        var devices = loads.makeAsyncIterator()
        let apus = Apus()
        DayRefresh(cache: cache, timeZone: zone, now: { now }, badges: false) { loaded.yield($0) }.install(in: apus)
        #expect(await apus.pushes.handle(try self.push("b", .background)) == .newData)
        #expect(await apus.pushes.handle(try self.push("a")) == .newData)
        #expect(await devices.next() == "a")
        let (cleared, kept) = (await cache[keys[0]], await cache[keys[1]])
        #expect(cleared == nil && kept == 1)
        await apus.activate()
        #expect(await devices.next() == "b")
        #expect(await cache[keys[1]] == nil)
        // What is loaded is not loaded again.
        await apus.activate()
        #expect(await apus.pushes.handle(try self.push("c", .tapped)) == .newData)
        #expect(await devices.next() == "c")
    }

    @Test("that does not work is said without what it is about, has failed, and is done when the app is opened")
    func failing() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            let isBroken = Locked(true)
            let (loads, loaded) = AsyncStream.makeStream(of: String.self)
            var devices = loads.makeAsyncIterator()
            DayRefresh(cache: DayCache<Int>(), timeZone: { _ in .current }, badges: false) { device in
                if isBroken.withLock({ $0 }) { throw SecretError() }
                loaded.yield(device)
            }
            .install(in: apus)
            #expect(await apus.pushes.handle(try self.push("a")) == .failed)
            #expect(server.log.contains { $0.contains("the handler of \"refresh_dashboard\" failed: ") })
            apus.becameActive()
            try await server.wait("the second failure") { server.log.contains { $0.contains("is not loaded: ") } }
            #expect(!server.log.contains { $0.contains("ann") })
            isBroken.withLock { $0 = false }
            apus.becameActive()
            #expect(await devices.next() == "a")
            await apus.stop()
        }
    }

    @Test("is done by the next process where the one that was told has ended, for a week, and once")
    func nextProcess() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let (loads, loaded) = AsyncStream.makeStream(of: String.self)
            var devices = loads.makeAsyncIterator()
            let now = Locked(Date(timeIntervalSince1970: 1_760_308_200))
            let launch: () -> (Apus, DayRefresh<Int>) = {
                let apus = Apus()
                let refresh = DayRefresh(
                    cache: DayCache<Int>(),
                    timeZone: { _ in .current },
                    now: { now.withLock { $0 } },
                    badges: false
                ) { loaded.yield($0) }
                refresh.install(in: apus)
                apus.start(server.configuration(in: directory))
                return (apus, refresh)
            }
            let (first, old) = launch()
            #expect(await first.pushes.handle(try self.push("a", .background)) == .newData)
            now.withLock { $0 += 86_400 }
            #expect(await first.pushes.handle(try self.push("b", .background)) == .newData)
            await first.stop()
            now.withLock { $0 += 6.5 * 86_400 }
            let (second, new) = launch()
            await second.activate()
            // What came more than a week ago is loaded no more.
            #expect(await devices.next() == "b")
            #expect(await second.pushes.handle(try self.push("c")) == .newData)
            #expect(await devices.next() == "c")
            await second.stop()
            let file = directory.appendingPathComponent("refresh-refresh_dashboard.json")
            let kept = try String(contentsOf: file, encoding: .utf8)
            #expect(kept == "{}")
            withExtendedLifetime((old, new)) {}
        }
    }

    @Test("counts on from any number that a corrupt file has")
    func damagedCount() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let now = Date(timeIntervalSince1970: 1_760_308_200)
            let (loads, loaded) = AsyncStream.makeStream(of: String.self)
            var devices = loads.makeAsyncIterator()
            let since = now.timeIntervalSinceReferenceDate
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let kept = #"{"a":{"pushes":\#(Int.max),"since":\#(since)}}"#
            try Data(kept.utf8).write(to: directory.appendingPathComponent("refresh-refresh_dashboard.json"))
            let apus = Apus()
            DayRefresh(cache: DayCache<Int>(), timeZone: { _ in .current }, now: { now }, badges: false) {
                loaded.yield($0)
            }
            .install(in: apus)
            apus.start(server.configuration(in: directory))
            #expect(await apus.pushes.handle(try self.push("a", .background)) == .newData)
            await apus.activate()
            #expect(await devices.next() == "a")
            await apus.stop()
        }
    }

    @Test("goes on to be due where another push comes while it is loaded")
    func meanwhile() async throws {
        let (loads, loaded) = AsyncStream.makeStream(of: Int.self)
        var counts = loads.makeAsyncIterator()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let count = Locked(0)
        let apus = Apus()
        DayRefresh(cache: DayCache<Int>(), timeZone: { _ in .current }, badges: false) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            loaded.yield(number)
            if number == 1 { for await _ in gate { break } }
        }
        .install(in: apus)
        async let first = apus.pushes.handle(try self.push("a"))
        #expect(await counts.next() == 1)
        #expect(await apus.pushes.handle(try self.push("a", .background)) == .newData)
        open.yield()
        #expect(try await first == .newData)
        apus.becameActive()
        #expect(await counts.next() == 2)
    }
}
