// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Testing

@testable import APNsSimulator

@Suite("Followers of the clock", .timeLimit(.minutes(20)))
struct ClockFollowersTests {
    @Test("one is told of a change, and whoever made it waits until the follower goes by it")
    func catchUp() async {
        let followers = ClockSubscribers(patience: .seconds(3600))
        followers.noteChange()
        // Answered at once: that change is over.
        await followers.follow("server", by: 0)
        await withDiscardingTaskGroup { group in
            group.addTask {
                #expect(await followers.catchUp())
                followers.noteChange()
            }
            await followers.follow("server", by: 1)
            #expect(followers.change == 2)
        }
    }

    @Test("without followers nobody waits")
    func nobody() async {
        let followers = ClockSubscribers(patience: .seconds(3600))
        followers.noteChange()
        #expect(await followers.catchUp())
    }

    @Test("one that asks no more is forgotten after a while")
    func lost() async throws {
        let followers = ClockSubscribers(patience: .milliseconds(50))
        followers.noteChange()
        await followers.follow("server", by: 0)
        // Time passes by itself: each of these waits for a while until it is given up.
        try await waitUntil { await followers.catchUp() }
        #expect(followers.count == 0)
    }

    @Test("one that hears of no change asks again after a while")
    func silence() async {
        let followers = ClockSubscribers(patience: .milliseconds(50))
        await followers.follow("server", by: 0)
        #expect(followers.change == 0)
        #expect(followers.count == 1)
    }
}
