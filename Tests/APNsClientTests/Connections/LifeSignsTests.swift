// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Testing

@testable import APNsClient

@Suite("Signs of life")
struct LifeSignsTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private let configuration = APNsClientConfiguration()

    private func check(
        _ signs: inout KeepAliveState,
        at seconds: Int64,
        oldestRequest: Int64? = nil
    ) -> KeepAliveState.Step {
        signs.check(
            oldestRequest: oldestRequest.map { self.start + .seconds($0) },
            now: self.start + .seconds(seconds),
            configuration: self.configuration
        )
    }

    @Test("a peer that owes an answer is asked once, and given up when it says nothing to that")
    func unanswered() {
        var signs = KeepAliveState(now: self.start)
        #expect(self.check(&signs, at: 10, oldestRequest: 0) == .nothing)
        #expect(self.check(&signs, at: 11, oldestRequest: 0) == .ping)
        #expect(self.check(&signs, at: 16, oldestRequest: 0) == .nothing)
        #expect(self.check(&signs, at: 17, oldestRequest: 0) == .giveUp)
    }

    @Test("a peer that answers is asked again only after another silence")
    func answered() {
        var signs = KeepAliveState(now: self.start)
        #expect(self.check(&signs, at: 11, oldestRequest: 0) == .ping)
        signs.received(now: self.start + .seconds(12))
        signs.pingAnswered()
        #expect(self.check(&signs, at: 22, oldestRequest: 0) == .nothing)
        #expect(self.check(&signs, at: 23, oldestRequest: 0) == .ping)
    }

    @Test("a peer that owes nothing is asked after an hour")
    func idle() {
        var signs = KeepAliveState(now: self.start)
        #expect(self.check(&signs, at: 3600) == .nothing)
        #expect(self.check(&signs, at: 3601) == .ping)
    }
}
