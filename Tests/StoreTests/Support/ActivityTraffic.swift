// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import StoreTesting
import Synchronization

/// Changes lessons and sends them at the same time, with phones that APNs delays or loses, and keeps what phones were sent.
final class ActivityTraffic: Sendable {
    private struct State {
        var now = StoreFixtures.now
        var random: SeededRandom
        var arrived: [DeviceToken: [Int64]] = [:]
        var isChanging = true
        var isLossy = true
    }

    private enum Fate {
        case delivered
        case lost
        case deferred(until: Date)
    }

    private let store: any PushStore
    private let lessons: [ActivityID]
    private let state: Mutex<State>

    init(_ store: any PushStore, lessons: [ActivityID], seed: UInt64) {
        self.store = store
        self.lessons = lessons
        self.state = Mutex(State(random: SeededRandom(seed: seed)))
    }

    /// The timestamps of what each phone was sent, in the order in which that arrived.
    var arrived: [DeviceToken: [Int64]] { self.state.withLock { $0.arrived } }

    /// Changes lessons so often while workers send.
    func run(changes: Int, workers: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<workers {
                group.addTask { try await self.work(as: WorkerID(unchecked: "worker-\(number)")) }
            }
            try await withThrowingTaskGroup(of: Void.self) { changers in
                for lesson in self.lessons {
                    changers.addTask { for count in 0..<changes { try await self.change(lesson, to: count) } }
                }
                try await changers.waitForAll()
            }
            // What was lost is behind; the last change reaches everybody.
            self.state.withLock { $0.isLossy = false }
            for lesson in self.lessons { try await self.change(lesson, to: changes) }
            self.state.withLock { $0.isChanging = false }
            try await group.waitForAll()
        }
    }

    private func change(_ lesson: ActivityID, to count: Int) async throws {
        _ = try await self.store.change(
            ActivityFixtures.state(#"{"n":\#(count)}"#),
            lesson,
            now: self.state.withLock { $0.now }
        )
    }

    /// Sends until nothing changes any more and nothing is left.
    private func work(as worker: WorkerID) async throws {
        var idle = 0
        while idle < 20 {
            let (now, isChanging) = self.state.withLock { state in
                state.now += 0.25
                return (state.now, state.isChanging)
            }
            let claimed = try await self.store.claim(limit: 3, by: worker, now: now)
            for batch in claimed { try await self.send(batch, now: now) }
            // A phone is delayed by 3 seconds at most.
            idle = claimed.isEmpty && !isChanging ? idle + 1 : 0
        }
    }

    private func send(_ claimed: ClaimedBatch, now: Date) async throws {
        let range = claimed.cursor..<claimed.batch.targets.count
        var failures: [Settlement.Failure] = []
        var deferrals: [Deferral] = []
        for index in claimed.due.map(\.index) + Array(range) {
            switch self.arrive(claimed.batch, index, now: now) {
            case .delivered: break
            case .lost: failures.append(.init(index: index, outcome: .failed(.connectionLost)))
            case .deferred(let time): deferrals.append(Deferral(index: index, notBefore: time))
            }
        }
        let settlement = Settlement(
            of: claimed,
            range: range,
            resent: claimed.due,
            failures: failures,
            deferrals: deferrals.sorted { $0.index < $1.index }
        )
        _ = try await self.store.settle(settlement, now: now)
        try await self.store.release(claimed.batch.id, worker: claimed.worker, now: now)
        try await self.store.sendOn(now: now)
    }

    /// A push arrives at its phone, or does not.
    private func arrive(_ batch: Batch, _ index: Int, now: Date) -> Fate {
        self.state.withLock { state in
            let dice = state.isLossy ? Int.random(in: 0..<6, using: &state.random) : 5
            if dice == 0 { return .lost }
            if dice <= 2 { return .deferred(until: now.addingTimeInterval(Double(1 + dice))) }
            state.arrived[batch.targets[index].token, default: []].append(Self.timestamp(batch.payload[index].text))
            return .delivered
        }
    }

    private static func timestamp(_ payload: String) -> Int64 {
        let digits = payload.split(separator: #""timestamp":"#).last?.prefix { $0.isNumber } ?? ""
        return Int64(digits) ?? 0
    }
}
