// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Live feed", .timeLimit(.minutes(20)))
struct LiveFeedTests {
    private static func delivery(_ sequence: UInt64) -> Delivery {
        let notification = ReceivedNotification(
            bundleID: "com.example.app",
            payload: [],
            apnsID: APNsID(high: 0, low: sequence),
            headers: [:],
            receivedAt: Date(timeIntervalSince1970: 0)
        )
        return Delivery(sequence: sequence, device: VirtualDeviceID(rawValue: "d"), notification: notification)
    }

    @Test("a reader that is too slow misses the oldest; the number of missed ones is known")
    func slowReader() async {
        let feed = LiveFeed<Delivery>()
        let stream = feed.read(bufferingNewest: 2)
        for sequence in 1...5 { feed.publish(Self.delivery(UInt64(sequence))) }
        feed.finish()
        var seen: [UInt64] = []
        for await delivery in stream { seen.append(delivery.sequence) }
        #expect(seen == [4, 5])
        #expect(feed.missed == 3)
    }

    @Test("once finished, old and new readers come to an end")
    func finished() async {
        let feed = LiveFeed<Delivery>()
        let before = feed.read(bufferingNewest: 2)
        feed.finish()
        let after = feed.read(bufferingNewest: 2)
        for stream in [before, after] {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == nil)
        }
        #expect(!feed.hasReaders)
    }

    @Test("a reader hears of what is kept, however little it buffers, and then of what follows")
    func replay() async {
        let feed = LiveFeed<Delivery>(historyLimit: 10)
        for sequence in 1...5 { feed.publish(Self.delivery(UInt64(sequence))) }
        let stream = feed.read(bufferingNewest: 2) { $0.sequence > 1 }
        for sequence in 6...7 { feed.publish(Self.delivery(UInt64(sequence))) }
        feed.finish()
        var seen: [UInt64] = []
        for await delivery in stream { seen.append(delivery.sequence) }
        #expect(seen == [2, 3, 4, 5, 6, 7])
        #expect(feed.missed == 0)
    }

    @Test("readers hear of everything in the order in which it is kept, whoever publishes")
    func order() async {
        let feed = LiveFeed<Delivery>(historyLimit: 20_000)
        let stream = feed.read(bufferingNewest: 20_000)
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 1...5000 { feed.publish(Self.delivery(UInt64(10_000 * task + number))) }
                }
            }
        }
        feed.finish()
        var seen: [UInt64] = []
        for await delivery in stream { seen.append(delivery.sequence) }
        #expect(seen == feed.history.map(\.sequence))
    }
}
