// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import SNSProtocol
import SQLStore
import StoreTesting
import Testing
import TopicPosting
import Topics

@Suite("URLs of topics that fail", .timeLimit(.minutes(20)))
struct TopicFailureTests {
    private static func text(_ request: HookReceiver.Request) -> String {
        String(decoding: request.body, as: UTF8.self)
    }

    private static let raw = ["RawMessageDelivery": "true"]

    @Test(
        "are tried again 20 seconds later under the same id, three times, and then given up",
        arguments: TestStoreBackend.chosen
    )
    func retry(store: TestStoreBackend) async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: store) { stage in
                receiver.react(.answer(503), .answer(429), .answer(500), .answer(500))
                try await stage.subscribe(stage.url(receiver), attributes: Self.raw)
                try await stage.publish("a")
                try await stage.post { [stage] in
                    var ids: Set<String> = []
                    for attempt in 0..<3 {
                        ids.insert(try await receiver.next().text("x-amz-sns-message-id"))
                        let due = stage.now.date.addingTimeInterval(20)
                        #expect(try await stage.settled() == [.again(at: due)], "attempt \(attempt)")
                        try await stage.poll(after: .seconds(20))
                    }
                    ids.insert(try await receiver.next().text("x-amz-sns-message-id"))
                    #expect(ids.count == 1)
                    #expect(try await stage.settled() == [.done])
                    try await stage.publish("b")
                    #expect(Self.text(try await receiver.next()) == "b")
                }
            }
        }
    }

    @Test("are given up where the stored count of attempts is corrupt")
    func damagedCount() async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: .sqlite) { stage in
                let store = CorruptCountStore(base: stage.store)
                let damaged = TopicStage(store: store, settlements: stage.settlements)
                receiver.react(.answer(503))
                try await damaged.subscribe(damaged.url(receiver), attributes: Self.raw)
                try await damaged.publish("a")
                try await damaged.post { () async throws in
                    #expect(Self.text(try await receiver.next()) == "a")
                    #expect(try await damaged.settled() == [.done])
                }
            }
        }
    }

    @Test("are tried again as the policies of topic and subscription say")
    func policies() async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: .sqlite) { stage in
                receiver.react(.answer(500), .answer(500), .answer(500))
                let policy = """
                    {"healthyRetryPolicy":{"numRetries":2,"numNoDelayRetries":1,"minDelayTarget":7,"maxDelayTarget":7},\
                    "requestPolicy":{"headerContentType":"application/json"}}
                    """
                try await stage.subscribe(
                    stage.url(receiver),
                    attributes: ["RawMessageDelivery": "true", "DeliveryPolicy": policy]
                )
                try await stage.publish("a")
                try await stage.post { [stage] in
                    #expect(try await receiver.next().text("content-type") == "application/json")
                    _ = try await receiver.next()
                    let ends = try await stage.settled(2)
                    #expect(ends == [.again(at: stage.now.date), .again(at: stage.now.date.addingTimeInterval(7))])
                    try await stage.poll(after: .seconds(7))
                    _ = try await receiver.next()
                    #expect(try await stage.settled() == [.done])
                }
            }
        }
    }

    @Test("are not tried again when they refuse for good; redirections are not followed")
    func refusals() async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: .sqlite) { stage in
                try await stage.subscribe(stage.url(receiver), attributes: Self.raw)
                try await stage.post { [stage] in
                    for reaction in [
                        .answer(404), .answer(400), .redirect(to: "http://127.0.0.1:\(receiver.port)/other"),
                    ] as [HookReceiver.Reaction] {
                        receiver.react(reaction)
                        try await stage.publish("a")
                        _ = try await receiver.next()
                        #expect(try await stage.settled() == [.done])
                    }
                    try await stage.publish("b")
                    #expect(Self.text(try await receiver.next()) == "b")
                }
            }
        }
    }

    @Test(
        "hold up nobody else while they do not answer, and have failed after 15 seconds",
        arguments: TestStoreBackend.chosen
    )
    func hanging(store: TestStoreBackend) async throws {
        try await HookReceiver.run { slow in
            try await HookReceiver.run { receiver in
                try await TopicStage.open(on: store) { stage in
                    slow.react(.hang, .hang, .hang, .hang)
                    try await stage.subscribe(stage.url(slow), attributes: Self.raw)
                    try await stage.publish("1", "2", "3", "4", "5", "6")
                    try await stage.post { [stage] in
                        // As many as are on their way to one at once.
                        _ = try await slow.next(4)
                        try await stage.subscribe(stage.url(receiver), attributes: Self.raw)
                        for text in ["a", "b", "c"] {
                            try await stage.publish(text)
                            #expect(Self.text(try await receiver.next()) == text)
                        }
                        #expect(try await stage.settled(3) == [.done, .done, .done])
                        try await stage.clock.fire(timerDueIn: .seconds(15), count: 4, alsoAdvancing: stage.now)
                        let again = TopicDeliveryResult.again(at: stage.now.date.addingTimeInterval(20))
                        #expect(try await stage.settled(4) == [again, again, again, again])
                        // What waits behind them has its turn.
                        #expect(Set(try await slow.next(5).map(Self.text)) == ["5", "6", "a", "b", "c"])
                        #expect(try await stage.settled(5).allSatisfy { $0 == .done })
                    }
                }
            }
        }
    }

    @Test(
        "on a private network are not connected to, whatever they are called",
        arguments: ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1", "fd00::1"]
    )
    func privateNetwork(address: String) async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: .sqlite) { stage in
                stage.allowsPrivateNetworks = false
                stage.address = address
                try await stage.subscribe(stage.url(receiver))
                try await stage.publish("secret")
                try await stage.post { [stage] in
                    let due = stage.now.date.addingTimeInterval(20)
                    let ends = try await stage.settled()
                    #expect(ends == [.again(at: due)])
                }
                #expect(try await stage.waiting(after: 20).map(\.attempts) == [1])
            }
        }
    }

    @Test("get what waited when a process died, once its lease has lapsed", arguments: TestStoreBackend.chosen)
    func restart(store: TestStoreBackend) async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: store) { stage in
                try await stage.subscribe(stage.url(receiver), attributes: Self.raw)
                try await stage.publish("a", "b", "c")
                // A process that took two of them and died.
                let taken = try await stage.store.claimDeliveries(
                    limit: 1,
                    each: 2,
                    worker: "dead",
                    leaseDuration: .seconds(60),
                    now: stage.now.date
                )
                #expect(taken.count == 2)
                try await stage.post { [stage] in
                    try await stage.poll(after: .seconds(61))
                    let texts = try await receiver.next(3).map(Self.text)
                    #expect(Set(texts) == ["a", "b", "c"])
                    #expect(try await stage.settled(3) == [.done, .done, .done])
                }
                #expect(try await stage.waiting(after: 9999) == [])
            }
        }
    }

    @Test("are posted to by several processes, each message once", arguments: TestStoreBackend.chosen)
    func processes(store: TestStoreBackend) async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: store) { stage in
                for number in 0..<5 {
                    try await stage.subscribe(stage.url(receiver, "\(number)"), attributes: Self.raw)
                }
                try await stage.post(workers: ["topics-1", "topics-2", "topics-3"]) { [stage] in
                    for number in 0..<20 { try await stage.publish("\(number)") }
                    let ends = try await stage.settled(100)
                    #expect(ends.allSatisfy { $0 == .done })
                    let requests = try await receiver.next(100)
                    let pairs = requests.map { "\($0.text("x-amz-sns-subscription-arn")) \(Self.text($0))" }
                    #expect(Set(pairs).count == 100)
                }
                #expect(try await stage.waiting(after: 9999) == [])
            }
        }
    }

    @Test("are posted to no faster than their policy says")
    func throttled() async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: .sqlite) { stage in
                // Nothing but the pauses between requests ends within the time that passes.
                stage.deadline = .seconds(3600)
                stage.pollInterval = .seconds(3600)
                try await stage.subscribe(
                    stage.url(receiver),
                    attributes: [
                        "RawMessageDelivery": "true",
                        "DeliveryPolicy": #"{"throttlePolicy":{"maxReceivesPerSecond":1}}"#,
                    ]
                )
                try await stage.publish("1", "2", "3", "4", "5")
                let start = ContinuousClock.now
                try await stage.post { [stage] in
                    // The time that a response took counts toward its pause; the product measures it by the real clock.
                    func elapsed() -> Duration { stage.clock.now.offset + (ContinuousClock.now - start) }
                    func settled(_ count: Int) async throws -> [TopicDeliveryResult] {
                        try await stage.clock.pass(upTo: .seconds(60), alsoAdvancing: stage.now) {
                            try await stage.settled(count)
                        }
                    }
                    let requests = try await receiver.next(4)
                    #expect(requests.count == 4)
                    // Nothing is settled before the four seconds of all four are over.
                    #expect(try await settled(1) == [.done])
                    #expect(elapsed() >= .seconds(4))
                    #expect(try await settled(3) == [.done, .done, .done])
                    #expect(Self.text(try await receiver.next()) == "5")
                    #expect(try await settled(1) == [.done])
                    #expect(elapsed() >= .seconds(5))
                }
            }
        }
    }

    @Test("have no more waiting for them than a queue holds", arguments: TestStoreBackend.chosen)
    func fullQueue(store: TestStoreBackend) async throws {
        try await TopicStage.open(on: store) { stage in
            let subscription = try await stage.subscribe("http://hooks.example.com/")
            let other = try await stage.subscribe("http://other.example.com/")
            // As many as there may be, many at once, which share commits.
            for start in stride(from: 0, to: TopicDelivery.maximumQueued, by: 500) {
                try await withThrowingTaskGroup(of: Void.self) { [stage] group in
                    for number in start..<start + 500 {
                        let message = TopicMessage(
                            id: APNsID(high: 0, low: UInt64(number)),
                            topic: TopicStage.topic,
                            content: [0x61],
                            createdAt: stage.now.date
                        )
                        group.addTask {
                            let publication = Publication(message: message, recipients: [subscription.id])
                            try await stage.store.publish(publication, noting: nil)
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let receipt = try await stage.publish(SNSMessage(text: "one too many"))
            #expect(receipt.urls == 1)
            #expect(receipt.fullQueues == 1)
            let waiting = try await stage.waiting()
            #expect(waiting.filter { $0.subscriptionID == other.id }.count == 1)
        }
    }
}

/// A store that gives deliveries with the greatest number of attempts to those who make them.
private struct CorruptCountStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    func claimDeliveries(
        limit: Int,
        each: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [TopicDelivery] {
        var deliveries = try await self.base.claimDeliveries(
            limit: limit,
            each: each,
            worker: worker,
            leaseDuration: leaseDuration,
            now: now
        )
        for place in deliveries.indices { deliveries[place].attempts = .max }
        return deliveries
    }

    /// The base reports it to the test.
    func settleDelivery(_ id: Int64, worker: WorkerID, as end: TopicDeliveryResult) async throws {
        try await self.base.settleDelivery(id, worker: worker, as: end)
    }
}
