// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if os(Linux)
@preconcurrency import ActivityKit
import Foundation
import Testing
import VirtualDevice
import VirtualDeviceTesting

@testable import ApusKit

extension OnPhone {
    static let state = RideAttributes.ContentState(fee: 400, endsAt: Date(timeIntervalSinceReferenceDate: 0))

    static func coordinator(
        _ apus: Apus,
        _ limit: ActivityLimit = .many
    ) -> ActivityCoordinator<RideAttributes> {
        ActivityCoordinator(apus: apus, limit: limit, instants: { _, state in ["endsAt": state.endsAt] }) {
            attributes in
            attributes.ride
        }
    }

    /// Runs a coordinator beside a test.
    static func follow(
        _ coordinator: ActivityCoordinator<RideAttributes>,
        _ body: @MainActor () async throws -> Void
    ) async throws {
        let work = Task.detached { await coordinator.run() }
        do { try await body() } catch {
            work.cancel()
            throw error
        }
        work.cancel()
        await work.value
    }

    static func participants(_ phone: Phone, _ name: String) throws -> [[String: Any]] {
        let page = try? phone.stage.backend("GET", "/activities/\(name)/participants")
        return page?["participants"] as? [[String: Any]] ?? []
    }

    static func shown(_ phone: Phone, _ fee: Int) throws -> Void? {
        let states = try phone.activities.compactMap { $0["contentState"] as? [String: Any] }
        return states.contains { $0["fee"] as? Int == fee } ? () : nil
    }

    static func ride(_ activity: [String: Any]) -> String {
        (activity["attributes"] as? [String: String])?["ride"] ?? ""
    }

    @Test(
        "an activity that the app starts is known to the server, which changes and ends it, however Apple's sequences begin",
        arguments: [true, false]
    )
    func fromApp(repeatsPresent: Bool) async throws {
        try await Self.play { phone, apus in
            VirtualDeviceSession.shared.repeatsPresent = repeatsPresent
            let rides = Self.coordinator(apus)
            try await Self.follow(rides) {
                let name = try await rides.start(RideAttributes(ride: "ride-\(phone.id)"), state: Self.state)
                try await eventually("the token at the server") {
                    try Self.participants(phone, name).first?["hasToken"] as? Bool == true ? () : nil
                }
                let activity = try phone.stage.backend("GET", "/activities/\(name)")
                #expect(activity["attributesType"] as? String == "RideAttributes")
                #expect((activity["contentState"] as? [String: Any])?["fee"] as? Int == 400)
                #expect((activity["instants"] as? [String: String])?["endsAt"] == "2001-01-01T00:00:00.000Z")
                try phone.stage.backend("PATCH", "/activities/\(name)", ["patch": ["fee": 550]])
                try await eventually("the update") { try Self.shown(phone, 550) }
                try await eventually("the state in the app") { await rides.state(of: name)?.fee == 550 ? () : nil }

                // The token that takes its place is told, and goes on.
                let id = try #require(try phone.activities.first?["id"] as? String)
                try phone.stage.control("POST", "\(phone.path)/activities/\(id)/rotate-token")
                try phone.stage.backend("PATCH", "/activities/\(name)", ["patch": ["fee": 700]])
                try await eventually("the update by the new token") { try Self.shown(phone, 700) }
                try phone.stage.backend("PATCH", "/activities/\(name)", ["end": ["dismissal": "immediate"]])
                try await eventually("the end in the app") { await rides.names.isEmpty ? () : nil }
            }
        }
    }

    @Test("a later process of the app names the activities of an earlier one before it observes them")
    func laterProcess() async throws {
        try await Self.play { phone, apus in
            try await Self.coordinator(apus).start(RideAttributes(ride: "a"), state: Self.state)
            #expect(await Self.coordinator(apus).names == ["a"])
            let later = Self.coordinator(apus)
            #expect(await later.state(of: "a")?.fee == 400)
            await later.end("a", dismissal: .immediate)
            #expect(try phone.activities.map { $0["state"] as? String } == ["dismissed"])
        }
    }

    @Test("a second start is refused where there is to be one, and every end has its dismissal")
    func limits() async throws {
        try await Self.play { phone, apus in
            let one = Self.coordinator(apus, .one)
            try await one.start(RideAttributes(ride: "a"), state: Self.state)
            await #expect(throws: ActivityStartError.running("a")) {
                try await one.start(RideAttributes(ride: "b"), state: Self.state)
            }
            await one.update("a", to: .init(fee: 1, endsAt: Self.state.endsAt))
            await one.end("a", state: .init(fee: 2, endsAt: Self.state.endsAt), dismissal: .immediate)
            try await one.start(RideAttributes(ride: "b"), state: Self.state)
            await one.end("b", dismissal: .after(Date().addingTimeInterval(600)))
            try await one.start(RideAttributes(ride: "c"), state: Self.state)
            await one.end("c")
            let activities = try phone.activities.sorted { Self.ride($0) < Self.ride($1) }
            #expect(activities.map { $0["state"] as? String } == ["dismissed", "ended", "ended"])
            #expect((activities[0]["contentState"] as? [String: Any])?["fee"] as? Int == 2)

            let many = Self.coordinator(apus)
            for ride in ["d", "e"] { try await many.start(RideAttributes(ride: ride), state: Self.state) }
            await #expect(throws: ActivityStartError.running("d")) {
                try await many.start(RideAttributes(ride: "d"), state: Self.state)
            }
            await many.endAll(dismissal: .immediate)
            #expect(try phone.activities.filter { $0["state"] as? String == "active" }.isEmpty)
        }
    }

    @Test("of two that follow the activities one may end; the other goes on")
    func followedTwice() async throws {
        try await Self.play { phone, apus in
            let rides = Self.coordinator(apus)
            try await Self.follow(rides) {
                try await Self.follow(rides) {
                    try await rides.start(RideAttributes(ride: "a-\(phone.id)"), state: Self.state)
                }
                let names = await rides.names
                #expect(names.count == 1)
                let started = try await rides.start(RideAttributes(ride: "b-\(phone.id)"), state: Self.state)
                for name in names + [started] {
                    try await eventually("the token at the server") {
                        try Self.participants(phone, name).first?["hasToken"] as? Bool == true ? () : nil
                    }
                }
                // The token of the first one that comes now is told by a watcher that has outlived the other run.
                let shown = try phone.activities.first { Self.ride($0) == names.first }
                let id = try #require(shown?["id"] as? String)
                try phone.stage.control("POST", "\(phone.path)/activities/\(id)/rotate-token")
                try phone.stage.backend("PATCH", "/activities/\(names[0])", ["patch": ["fee": 700]])
                try await eventually("the update by the new token") { try Self.shown(phone, 700) }
                try phone.stage.control("POST", "\(phone.path)/activities/\(id)/swipe")
                try await eventually("the word of the end") {
                    try Self.participants(phone, names[0]).first?["state"] as? String == "ended" ? () : nil
                }
                await rides.endAll(dismissal: .immediate)
            }
        }
    }

    @Test(
        "an activity that the server starts is picked up, and its token told under the server's name",
        arguments: [true, false]
    )
    func fromServer(repeatsPresent: Bool) async throws {
        try await Self.play { phone, apus in
            VirtualDeviceSession.shared.repeatsPresent = repeatsPresent
            let rides = Self.coordinator(apus)
            let name = "ride-\(phone.id)"
            try await Self.follow(rides) {
                let device = try await eventually("the device") { try Self.registered(phone) }
                let installation = try #require(device["device"] as? String)
                try phone.change(["state": "background"])
                let start: [String: Any] = [
                    "id": name, "attributesType": "RideAttributes", "attributes": ["ride": name],
                    "contentState": ["fee": 100, "endsAt": 0], "alert": ["title": "Ride", "body": "It begins"],
                    "devices": [installation],
                ]
                // Until the start token has been told, nobody can be reached.
                let receipt = try phone.stage.backend("POST", "/activities", start)
                if (receipt["notStartable"] as? [String])?.isEmpty == false {
                    try await eventually("the start") {
                        let start = ["devices": [installation]]
                        let again = try phone.stage.backend("POST", "/activities/\(name):start", start)
                        return again["sent"] as? Int == 1 ? () : nil
                    }
                }
                try await eventually("the activity") { try Self.shown(phone, 100) }
                // The person allows it on the Lock Screen; the token comes then.
                try phone.stage.control("PATCH", "\(phone.appPath)/live-activities", ["allowed": true])
                try await eventually("the token at the server") {
                    try Self.participants(phone, name).first?["hasToken"] as? Bool == true ? () : nil
                }
                try phone.stage.backend("PATCH", "/activities/\(name)", ["patch": ["fee": 200]])
                try await eventually("the update") { try Self.shown(phone, 200) }
            }
        }
    }

    @Test("of two that a push has started by one name the newer one is shown, and the server reaches that one")
    func twice() async throws {
        try await Self.play { phone, apus in
            let rides = Self.coordinator(apus)
            let name = "twice-\(phone.id)"
            try await Self.follow(rides) {
                _ = try await eventually("the device") { try Self.registered(phone) }
                let token = try await eventually("the start token") {
                    let live = try phone.stage.control("GET", "\(phone.appPath)/live-activities")
                    return (live["pushToStartTokens"] as? [String: String])?["RideAttributes"]
                }
                try phone.stage.control("PATCH", "\(phone.appPath)/live-activities", ["allowed": true])
                try phone.change(["state": "background"])
                // As a server does that breaks down before it has noted that it sent the first one.
                for fee in [1, 2] {
                    let aps: [String: Any] = [
                        "event": "start", "timestamp": Int(Date().timeIntervalSince1970),
                        "content-state": ["fee": fee, "endsAt": 0],
                        "attributes-type": "RideAttributes", "attributes": ["ride": name],
                        "alert": ["title": "Ride", "body": "It begins"],
                    ]
                    try phone.stage.send(["aps": aps], to: token, ["pushType": "liveactivity"])
                    try await eventually("the activity in the app") {
                        await rides.state(of: name)?.fee == fee ? () : nil
                    }
                }
                try await eventually("the end of the first") {
                    let states = try phone.activities.map { activity in
                        ((activity["contentState"] as? [String: Any])?["fee"] as? Int, activity["state"] as? String)
                    }
                    return states.contains { $0 == (1, "dismissed") } && states.contains { $0 == (2, "active") }
                        ? () : nil
                }
                // The older one's end is not told as if the ride was over, and the newer one is picked up only once.
                try await eventually("the update") { () -> Void? in
                    // The server does not know the ride before the app has told it the token.
                    guard (try? phone.stage.backend("PATCH", "/activities/\(name)", ["patch": ["fee": 200]])) != nil
                    else { return nil }
                    return try phone.activities.contains {
                        ($0["contentState"] as? [String: Any])?["fee"] as? Int == 200
                            && $0["state"] as? String == "active"
                    } ? () : nil
                }
                await rides.update(name, to: .init(fee: 300, endsAt: Self.state.endsAt))
                #expect(try phone.activities.filter { $0["state"] as? String == "active" }.count == 1)
                #expect(await rides.names == [name])
                await rides.endAll(dismissal: .immediate)
            }
        }
    }

    @Test("the start of an activity does no work on the main thread, which may be held meanwhile")
    func mainThread() async throws {
        let told = DispatchSemaphore(value: 0)
        let watch = ApusKit.Locked((main: pthread_self(), isOn: false, wasOnMain: false))
        let note: @Sendable () -> Void = {
            let thread = pthread_self()
            watch.withLock { $0.wasOnMain = $0.wasOnMain || ($0.isOn && thread == $0.main) }
        }
        try await Self.play { configuration in
            configuration.log = { entry in
                note()
                if entry.message.contains("activity main"), entry.message.contains("has it") { told.signal() }
            }
        } _: { phone, apus in
            _ = try await eventually("the device") { try Self.registered(phone) }
            let thread = pthread_self()
            watch.withLock { $0 = (thread, true, false) }
            let rides = ActivityCoordinator<RideAttributes>(apus: apus) { _, state in
                note()
                return ["endsAt": state.endsAt]
            } name: { attributes in
                note()
                return attributes.ride
            }
            let state = Self.state
            let started = ApusKit.Locked<Result<String, any Error>?>(nil)
            let work = Task.detached {
                let attributes = RideAttributes(ride: "main-\(phone.id)")
                do {
                    let name = try await rides.start(attributes, state: state)
                    started.withLock { $0 = .success(name) }
                } catch { started.withLock { $0 = .failure(error) } }
                await rides.run()
            }
            // Nothing else runs on this thread until the activity is on the phone, and its token at the server.
            Self.hold(until: told)
            #expect(!watch.withLock { $0.wasOnMain })
            let name = try #require(try started.withLock { try $0?.get() })
            #expect(try Self.participants(phone, name).first?["hasToken"] as? Bool == true)
            await rides.endAll(dismissal: .immediate)
            work.cancel()
            await work.value
        }
    }

    /// Holds the thread.
    private static func hold(until signal: DispatchSemaphore) {
        #expect(signal.wait(timeout: .now() + 60) == .success, "something waits for the main thread")
    }

    @Test("activities that are switched off are refused and reported, and frequent updates are told")
    func permissions() async throws {
        try await Self.play { phone, apus in
            let rides = Self.coordinator(apus)
            let events = rides.events
            try await Self.follow(rides) {
                let name = try await rides.start(RideAttributes(ride: "f-\(phone.id)"), state: Self.state)
                try await eventually("the token at the server") {
                    try Self.participants(phone, name).first?["frequentUpdates"] as? Bool == true ? () : nil
                }
                let path = "\(phone.appPath)/live-activities"
                try phone.stage.control("PATCH", path, ["frequentPushesEnabled": false])
                try await eventually("the change at the server") {
                    try Self.participants(phone, name).first?["frequentUpdates"] as? Bool == false ? () : nil
                }
                try phone.stage.control("PATCH", path, ["enabled": false])
                var seen: [ActivityEvent] = []
                for await event in events {
                    seen.append(event)
                    if event == .enabled(false) { break }
                }
                #expect(seen.contains(.started(name: name, byApp: true)))
                #expect(seen.contains(.frequentUpdates(false)))
                await #expect(throws: ActivityStartError.disabled) {
                    try await rides.start(RideAttributes(ride: "g"), state: Self.state)
                }
            }
        }
    }

    @Test("the schema made from a state is one that the server checks by")
    func schema() async throws {
        try await Self.play { phone, _ in
            let schema = try ContentSchema(contentState: Self.state, attributes: RideAttributes(ride: "a"))
            let body = try #require(try JSONSerialization.jsonObject(with: schema.json) as? [String: Any])
            try phone.stage.backend("PUT", "/activity-types/SchemaTest", body)
            let wrong: [String: Any] = [
                "id": "s-\(phone.id)", "attributesType": "SchemaTest",
                "contentState": ["fee": "400", "endsAt": Date().timeIntervalSince1970],
            ]
            let error = #expect(throws: StageError.self) { try phone.stage.backend("POST", "/activities", wrong) }
            #expect(error?.text.contains("content_mismatch") == true)
            #expect(error?.text.contains("seconds since 2001-01-01") == true)
        }
    }
}
#endif
