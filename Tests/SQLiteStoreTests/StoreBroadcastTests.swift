// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Signals within a process", .timeLimit(.minutes(20)))
struct StoreBroadcastTests {
    @Test("every subscriber gets every change, in order")
    func order() async {
        let broadcast = StoreChangeBroadcaster()
        var subscribers = (0..<3).map { _ in broadcast.changes().makeAsyncIterator() }
        broadcast.send([.batchReady(.bulk), .batchReady(.urgent)])
        broadcast.send([.jobsDue])
        for place in subscribers.indices {
            #expect(await subscribers[place].next() == .batchReady(.bulk))
            #expect(await subscribers[place].next() == .batchReady(.urgent))
            #expect(await subscribers[place].next() == .jobsDue)
        }
    }

    @Test("a subscriber that does not keep up is told that it missed changes")
    func missed() async {
        let broadcast = StoreChangeBroadcaster(capacity: 4)
        var slow = broadcast.changes().makeAsyncIterator()
        broadcast.send(Array(repeating: .batchReady(.urgent), count: 100) + [.batchReady(.bulk)])
        var received: [StoreChange] = []
        for _ in 0..<4 { if let change = await slow.next() { received.append(change) } }
        #expect(received.contains(.missed))
        #expect(received.suffix(2) == [.batchReady(.bulk), .missed])
    }

    @Test("a subscriber is told of nothing but what concerns it, and of what was missed")
    func concern() async {
        let broadcast = StoreChangeBroadcaster(capacity: 2)
        var jobs = broadcast.changes { $0 == .jobsDue }.makeAsyncIterator()
        // More than is kept for it, of which nothing is for it: so nothing is missed.
        for _ in 0..<100 { broadcast.send([.activitiesDue]) }
        broadcast.send([.jobsDue])
        broadcast.send([.missed])
        #expect(await jobs.next() == .jobsDue)
        #expect(await jobs.next() == .missed)
    }

    @Test("a dropped stream ends its subscription")
    func drop() {
        let broadcast = StoreChangeBroadcaster()
        do {
            let stream = broadcast.changes()
            #expect(broadcast.subscriberCount == 1)
            _ = stream
        }
        broadcast.send([.missed])
        #expect(broadcast.subscriberCount == 0)
    }

    @Test("a cancelled subscriber is forgotten")
    func cancel() async {
        let broadcast = StoreChangeBroadcaster()
        let stream = broadcast.changes()
        let task = Task { for await _ in stream {} }
        task.cancel()
        await task.value
        #expect(broadcast.subscriberCount == 0)
    }

    @Test("finishing ends every subscription, and those that come later")
    func finish() async {
        let broadcast = StoreChangeBroadcaster()
        var early = broadcast.changes().makeAsyncIterator()
        broadcast.finish()
        var late = broadcast.changes().makeAsyncIterator()
        #expect(await early.next() == nil)
        #expect(await late.next() == nil)
        #expect(broadcast.subscriberCount == 0)
    }
}
