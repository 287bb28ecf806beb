// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import Testing

@testable import PostgresStore

@Suite("Word between processes, and when to try again")
struct ReconnectionTests {
    @Test("attempts are spread and rarer, up to a bound, until one succeeds")
    func backOff() throws {
        var reconnection = ReconnectPolicy()
        var now = ContinuousClock.now
        #expect(reconnection.refusal(now: now) == nil)
        var expected = ReconnectPolicy.firstDelay
        for _ in 0..<12 {
            reconnection.fail(StoreError(code: .unavailable, message: "away"), now: now)
            let wait = reconnection.wait(now: now)
            #expect(wait >= expected * 0.5 && wait <= expected)
            #expect((reconnection.refusal(now: now) as? StoreError)?.message == "away")
            now += wait
            #expect(reconnection.refusal(now: now) == nil)
            expected = min(ReconnectPolicy.longestDelay, expected * 2)
        }
        reconnection.succeed()
        #expect(reconnection.wait(now: now) == .zero)
    }

    @Test("changes come back from their text, however many there are")
    func changeText() {
        let settled = (0..<496).map { _ in StoreChange.notificationSettled(NotificationID(now: Date())) }
        let id = NotificationID(now: Date())
        let others: [StoreChange] = [
            .batchReady(.urgent), .batchReady(.bulk), .missed, .batchAdvanced(BatchID(now: Date())), .batchSettled(id),
            .halted(id), .campaignChanged(CampaignID(id.value)),
        ]
        let changes = others + settled
        let texts = ChangeCodec.encode(changes)
        #expect(texts.count == 3)
        #expect(texts.allSatisfy { $0.utf8.count <= ChangeCodec.maximumBytes })
        #expect(texts.flatMap(ChangeCodec.decode) == changes)
    }

    @Test("a word of a newer version means that something was missed")
    func unknownWord() {
        #expect(ChangeCodec.decode("u x9 nope a1") == [.batchReady(.urgent), .missed, .missed, .missed])
    }

    @Test("changes that nobody tells in time are told once, and as missed beyond a bound")
    func backlog() {
        var backlog = PendingChanges()
        for _ in 0..<3 { backlog.add(.batchReady(.urgent)) }
        #expect(backlog.takeAll() == [.batchReady(.urgent)])
        #expect(backlog.takeAll().isEmpty)
        for _ in 0...PendingChanges.maximumCount { backlog.add(.notificationSettled(NotificationID(now: Date()))) }
        #expect(backlog.takeAll() == [.missed])
    }
}
