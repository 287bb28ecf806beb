// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Live Activities and channels through the control API", .timeLimit(.minutes(20)))
struct ControlActivityTests {
    private static let app = "com.example.app"

    private static func phone(_ simulator: APNsSimulator) throws -> String {
        let device = try simulator.bootDevice(apps: [Self.app])
        try simulator.changeApp(Self.app, on: device.id) { $0.state = .foreground }
        return "/v1/devices/\(device.id)"
    }

    private static let start = #"""
        {"bundleID":"com.example.app","attributesType":"Ride","contentState":{"fee":0},"relevanceScore":2,
         "staleDate":"2030-01-01T00:00:00Z"}
        """#

    @Test("an app starts, updates and ends an activity, and the person swipes one away")
    func life() async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let control = ControlClient(simulator)
            let started = try await control.send("POST", "\(phone)/activities", Self.start)
            #expect(started.status == 201)
            #expect(started.string("state") == "active")
            #expect(started.string("tokenState") == "issued")
            #expect(started.string("staleDate") == "2030-01-01T00:00:00.000Z")
            let id = try #require(started.string("id"))
            let path = "\(phone)/activities/\(id)"
            let updated = try await control.send("POST", "\(path)/update", #"{"contentState":{"fee":400}}"#)
            #expect(updated.object("contentState")["fee"] as? Int == 400)
            let rotated = try await control.send("POST", "\(path)/rotate-token")
            #expect(rotated.string("token") != started.string("token"))
            let ended = try await control.send("POST", "\(path)/end", #"{"dismissal":"default"}"#)
            #expect(ended.string("state") == "ended")
            let swiped = try await control.send("POST", "\(path)/swipe")
            #expect(swiped.string("state") == "dismissed")
            let shown = try await control.send("GET", path)
            let changes = shown.objects("timeline").compactMap { $0["change"] as? String }
            #expect(
                changes == ["started", "tokenIssued", "updated", "tokenIssued", "ended", "dismissed"]
            )
            let listed = try await control.send("GET", "\(phone)/activities")
            #expect(listed.objects("activities").count == 1)
            #expect(listed.objects("ignored").isEmpty)
        }
    }

    @Test("what ActivityKit refuses is a problem that names its error")
    func refused() async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let control = ControlClient(simulator)
            let settings = "\(phone)/apps/\(Self.app)/live-activities"
            let off = try await control.send("PATCH", settings, #"{"enabled":false}"#)
            #expect(off.json["enabled"] as? Bool == false)
            let denied = try await control.send("POST", "\(phone)/activities", Self.start)
            #expect(denied.status == 409)
            #expect(denied.string("code") == "activity-refused")
            #expect(denied.string("value") == "denied")
            let on = try await control.send(
                "PATCH",
                settings,
                #"{"enabled":true,"nextRequestFailure":"persistenceFailure"}"#
            )
            #expect(on.string("nextRequestFailure") == "persistenceFailure")
            let failed = try await control.send("POST", "\(phone)/activities", Self.start)
            #expect(failed.string("value") == "persistenceFailure")
        }
    }

    @Test("a registered type is shown as it was written, and refuses values that are none of it")
    func types() async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let control = ControlClient(simulator)
            let types = "/v1/apps/\(Self.app)/activity-types"
            let shape = #"""
                {"contentState":{"type":"object","properties":{"fee":{"type":"integer"},
                 "endsAt":{"type":"date","optional":true},
                 "phase":{"type":"enum","cases":["a","b"],"optional":true}}}}
                """#
            let registered = try await control.send("PUT", "\(types)/Ride", shape)
            #expect(registered.status == 200)
            let properties = registered.object("contentState")["properties"] as? [String: [String: Any]]
            #expect(properties?["endsAt"]?["optional"] as? Bool == true)
            #expect(properties?["phase"]?["cases"] as? [String] == ["a", "b"])
            #expect(try await control.send("GET", types).objects("types").count == 1)
            let wrong = try await control.send(
                "POST",
                "\(phone)/activities",
                #"{"bundleID":"com.example.app","attributesType":"Ride","contentState":{"fee":"x"}}"#
            )
            #expect(wrong.status == 400)
            #expect(wrong.string("field") == "contentState.fee")
            let noShape = try await control.send("PUT", "\(types)/Pizza", #"{"contentState":{"type":"text"}}"#)
            #expect(noShape.string("field") == "contentState.type")
            #expect(try await control.send("DELETE", "\(types)/Ride").status == 204)
            #expect(try await control.send("DELETE", "\(types)/Ride").status == 404)
        }
    }

    @Test("an activity that has ended takes no more updates", arguments: ["update", "end"])
    func ended(action: String) async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let control = ControlClient(simulator)
            let id = try #require(try await control.send("POST", "\(phone)/activities", Self.start).string("id"))
            let path = "\(phone)/activities/\(id)"
            #expect(try await control.send("POST", "\(path)/end", "{}").status == 200)
            let refused = try await control.send("POST", "\(path)/\(action)", #"{"contentState":{"fee":1}}"#)
            #expect(refused.status == 409)
            #expect(refused.string("code") == "activity-refused")
            #expect(refused.string("value") == "ended")
        }
    }

    @Test("a push-to-start token is given for a type that there is", arguments: [("", false), ("Pizza", true)])
    func unknownType(type: String, hasTypes: Bool) async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            if hasTypes {
                simulator.register(ActivityType(name: "Ride", contentState: .empty), for: Self.app)
            }
            let path = "\(phone)/apps/\(Self.app)/push-to-start"
            let answer = try await ControlClient(simulator).send("POST", path, #"{"attributesType":"\#(type)"}"#)
            #expect(answer.status == 400)
            #expect(answer.string("field") == "attributesType")
        }
    }

    @Test("a push-to-start token is issued, and the person's answer is given")
    func pushToStart() async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let control = ControlClient(simulator)
            let path = "\(phone)/apps/\(Self.app)"
            let issued = try await control.send("POST", "\(path)/push-to-start", #"{"attributesType":"Ride"}"#)
            #expect(issued.status == 201)
            #expect(issued.string("token")?.count == 160)
            let shown = try await control.send("GET", "\(path)/live-activities")
            #expect(shown.object("pushToStartTokens")["Ride"] as? String == issued.string("token"))
            #expect(shown.string("permission") == "notAsked")
            let allowed = try await control.send("PATCH", "\(path)/live-activities", #"{"allowed":true}"#)
            #expect(allowed.string("permission") == "allowed")
        }
    }

    @Test("channels are created and shown with their messages and subscribers")
    func channels() async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let control = ControlClient(simulator)
            let channels = "/v1/apps/\(Self.app)/channels"
            let created = try await control.send("POST", channels, #"{"storagePolicy":1}"#)
            #expect(created.status == 201)
            let id = try #require(created.string("id"))
            let started = try await control.send(
                "POST",
                "\(phone)/activities",
                #"{"bundleID":"com.example.app","attributesType":"Game","contentState":{},"channel":"\#(id)"}"#
            )
            #expect(started.string("pushType") == "channel")
            #expect(started.string("channel") == id)
            let listed = try await control.send("GET", channels)
            #expect(
                listed.objects("channels").first?["subscribers"] as? [String] == [try #require(started.string("id"))]
            )
            let broadcast = "/v1/apps/\(Self.app)/broadcast"
            #expect(try await control.send("GET", broadcast).json["enabled"] as? Bool == true)
            #expect(try await control.send("PUT", broadcast, #"{"enabled":false}"#).status == 200)
            #expect(try await control.send("GET", channels).objects("channels").isEmpty)
            let refused = try await control.send("POST", channels, "{}")
            #expect(refused.status == 409)
            #expect(refused.string("code") == "channel-refused")
        }
    }

    @Test(
        "wrong input is a problem",
        arguments: [
            ("POST", "activities", "{}", 400, "missing-field"),
            (
                "POST", "activities", #"{"bundleID":"com.example.none","attributesType":"A","contentState":{}}"#, 404,
                "not-found"
            ),
            (
                "POST", "activities", #"{"bundleID":"com.example.app","attributesType":"A","contentState":[]}"#, 400,
                "wrong-type"
            ),
            (
                "POST", "activities",
                #"{"bundleID":"com.example.app","attributesType":"A","contentState":{},"pushType":"pull"}"#, 400,
                "invalid-value"
            ),
            (
                "POST", "activities",
                #"{"bundleID":"com.example.app","attributesType":"A","contentState":{},"staleDate":"soon"}"#, 400,
                "invalid-value"
            ),
            (
                "POST", "activities",
                #"{"bundleID":"com.example.app","attributesType":"A","contentState":{},"staleDate":1e300}"#, 400,
                "invalid-value"
            ),
            ("GET", "activities/none", nil, 404, "not-found"), ("POST", "activities/none/swipe", nil, 404, "not-found"),
            ("PATCH", "apps/com.example.none/live-activities", "{}", 404, "not-found"),
            ("PATCH", "apps/com.example.app/live-activities", #"{"x":1}"#, 400, "unknown-field"),
            ("POST", "apps/com.example.app/push-to-start", "{}", 400, "missing-field"),
        ] as [(String, String, String?, Int, String)]
    )
    func problems(method: String, path: String, body: String?, status: Int, code: String) async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let answer = try await ControlClient(simulator).send(method, "\(phone)/\(path)", body)
            #expect(answer.status == status)
            #expect(answer.string("code") == code)
            #expect(answer.contentType == "application/problem+json")
        }
    }
}
