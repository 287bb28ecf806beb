// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if os(Linux)
@preconcurrency import ActivityKit
import Foundation
import Testing
import VirtualDevice
import VirtualDeviceTesting

@testable import ApusKit

/// The ends of activities, and what happens while nobody looks.
extension OnPhone {
    @Test(
        "the server is told of an end on the phone, by the app or by the person, and sends nothing there any more",
        arguments: [true, false]
    )
    func endOnPhone(repeatsPresent: Bool) async throws {
        try await Self.play { phone, apus in
            VirtualDeviceSession.shared.repeatsPresent = repeatsPresent
            let rides = Self.coordinator(apus)
            try await Self.follow(rides) {
                for (ride, reason) in [("a", "ended"), ("b", "dismissed")] {
                    let name = try await rides.start(RideAttributes(ride: "\(ride)-\(phone.id)"), state: Self.state)
                    try await eventually("the token at the server") {
                        try Self.participants(phone, name).first?["hasToken"] as? Bool == true ? () : nil
                    }
                    if reason == "ended" {
                        await rides.end(name, dismissal: .immediate)
                    } else {
                        let shown = try phone.activities.first { Self.ride($0) == name }
                        let id = try #require(shown?["id"] as? String)
                        try phone.stage.control("POST", "\(phone.path)/activities/\(id)/swipe")
                    }
                    let left = try await eventually("the word at the server") {
                        let phones = try Self.participants(phone, name)
                        return phones.first?["state"] as? String == "ended" ? phones.first : nil
                    }
                    // Between the two the stand-ins tell of an end, as the system may.
                    #expect(["ended", reason].contains(left["reason"] as? String))
                    let change = try phone.stage.backend("PATCH", "/activities/\(name)", ["patch": ["fee": 1]])
                    #expect(change["sent"] as? Int == 0)
                    // Nobody waits for what comes no more.
                    #expect(await rides.watchers.isEmpty)
                }
            }
        }
    }

    @Test("the server is told of an end by a process that has not told it the token")
    func endByNextProcess() async throws {
        try await Self.play { phone, apus in
            let name = "next-\(phone.id)"
            let earlier = Self.coordinator(apus)
            try await Self.follow(earlier) {
                try await earlier.start(RideAttributes(ride: name), state: Self.state)
                try await eventually("the token at the server") {
                    try Self.participants(phone, name).first?["hasToken"] as? Bool == true ? () : nil
                }
            }
            // Nobody follows the activity any more. Another coordinator knows of it what another process would.
            await Self.coordinator(apus).end(name, dismissal: .immediate)
            let left = try await eventually("the word at the server") {
                let phones = try Self.participants(phone, name)
                return phones.first?["state"] as? String == "ended" ? phones.first : nil
            }
            #expect(left["reason"] as? String == "ended")
        }
    }

    @Test("what has ended while nothing ran does not stand in the way of a start")
    func endedUnwatched() async throws {
        try await Self.play { phone, apus in
            let earlier = Self.coordinator(apus)
            try await earlier.start(RideAttributes(ride: "a"), state: Self.state)
            let one = Self.coordinator(apus, .one)
            // It takes on what is there, and does not run.
            await one.update("none", to: Self.state)
            #expect(await one.names == ["a"])
            let events = one.events
            let id = try #require(try phone.activities.first?["id"] as? String)
            try phone.stage.control("POST", "\(phone.path)/activities/\(id)/swipe")
            try await eventually("the end") { await one.names.isEmpty ? () : nil }
            try await one.start(RideAttributes(ride: "b"), state: Self.state)
            #expect(await one.names == ["b"])
            var seen = events.makeAsyncIterator()
            #expect([.ended, .dismissed].map { .state(name: "a", $0) }.contains(await seen.next()))
            await one.endAll(dismissal: .immediate)
        }
    }

    @Test(
        "a token that comes while the one before is told is told too, however the sequence begins",
        arguments: [true, false]
    )
    func tokenMeanwhile(repeatsPresent: Bool) async throws {
        try await Self.play { phone, _ in
            VirtualDeviceSession.shared.repeatsPresent = repeatsPresent
            let activity = try Self.request("a")
            let first = try await eventually("the token") { activity.pushToken?.hexadecimal }
            let (running, id) = (RunningActivity(activity), activity.id)
            let tokens = ApusKit.Locked<[String]>([])
            let work = Task.detached {
                await running.tokens { token in
                    tokens.withLock { $0.append(token) }
                    guard token == first else { return }
                    _ = try? phone.stage.control("POST", "\(phone.path)/activities/\(id)/rotate-token")
                    while Activity<RideAttributes>.activities.first?.pushToken?.hexadecimal == first {
                        _ = await VirtualDeviceSession.shared.waitForLook(atMost: 0.25)
                    }
                }
            }
            try await eventually("the other token") { tokens.withLock { $0.count } == 2 ? () : nil }
            let now = try #require(activity.pushToken?.hexadecimal)
            #expect(tokens.withLock { $0 } == [first, now])
            work.cancel()
            await work.value
        }
    }

    @Test("an activity that starts while others are picked up is picked up too", arguments: [true, false])
    func startMeanwhile(repeatsPresent: Bool) async throws {
        try await Self.play { _, apus in
            VirtualDeviceSession.shared.repeatsPresent = repeatsPresent
            _ = try Self.request("a")
            let isFirst = ApusKit.Locked(true)
            let rides = ActivityCoordinator<RideAttributes>(apus: apus) { attributes in
                let starts = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if starts { _ = try? Self.request("b") }
                return attributes.ride
            }
            try await Self.follow(rides) {
                try await eventually("both") { await rides.names == ["a", "b"] ? () : nil }
                await rides.endAll(dismissal: .immediate)
            }
        }
    }

    @Test("an end that comes before an activity is looked at is told", arguments: [true, false])
    func endMeanwhile(repeatsPresent: Bool) async throws {
        try await Self.play { _, _ in
            VirtualDeviceSession.shared.repeatsPresent = repeatsPresent
            let activity = try Self.request("a")
            await activity.end(nil, dismissalPolicy: .immediate)
            let states = ApusKit.Locked<[ActivityState]>([])
            await RunningActivity(activity).states { state in states.withLock { $0.append(state) } }
            #expect(states.withLock { $0 } == [.dismissed])
        }
    }

    nonisolated private static func request(_ ride: String) throws -> Activity<RideAttributes> {
        try Activity.request(
            attributes: RideAttributes(ride: ride),
            content: ActivityContent(state: .init(fee: 400, endsAt: Date()), staleDate: nil),
            pushType: .token
        )
    }
}
#endif
