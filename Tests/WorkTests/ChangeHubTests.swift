// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import Testing

@testable import Work

@Suite("A change hub", .timeLimit(.minutes(20)))
struct ChangeHubTests {
    private func withHub(_ body: (StoreChangeBroadcaster, ChangeHub<AppID>) async throws -> Void) async throws {
        let store = StoreChangeBroadcaster(capacity: 4)
        let hub = ChangeHub<AppID>(store) { change in
            if case .eventsAppended(let app) = change { app } else { nil }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await hub.run() }
            try await body(store, hub)
            store.finish()
            try await group.waitForAll()
        }
    }

    @Test("wakes the subscribers of a key, which learn the keys of all wake-ups that waited")
    func keys() async throws {
        try await self.withHub { store, hub in
            let both = hub.subscribe(to: "a", "b")
            let other = hub.subscribe(to: "c")
            store.send([.jobsDue])
            store.send([.eventsAppended("a")])
            store.send([.eventsAppended("b")])
            store.send([.eventsAppended("c")])
            var wakes = other.wakes.makeAsyncIterator()
            await wakes.next()
            #expect(other.takeAll() == ["c"])
            for await _ in both.wakes { break }
            #expect(Set(both.takeAll()) == ["a", "b"])
            #expect(both.takeAll().isEmpty)
            both.end()
            other.end()
            #expect(await wakes.next() == nil)
        }
    }

    @Test("wakes all subscribers for all of their keys if changes were missed")
    func missed() async throws {
        try await self.withHub { store, hub in
            let subscription = hub.subscribe(to: "a", "b")
            subscription.remove(["b"])
            store.send([.missed])
            for await _ in subscription.wakes { break }
            #expect(subscription.takeAll() == ["a"])
        }
    }

    @Test("allows a subscriber that wants to be alone only while the key has no other")
    func alone() async throws {
        try await self.withHub { _, hub in
            let first = try #require(hub.subscribeAlone(to: "a"))
            #expect(hub.subscribeAlone(to: "a") == nil)
            #expect(hub.hasSubscriber(for: "a"))
            first.end()
            #expect(!hub.hasSubscriber(for: "a"))
            hub.subscribeAlone(to: "a")?.end()
        }
    }
}
