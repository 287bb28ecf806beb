// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

/// A ride on a rented bicycle, as an app declares it: nothing that stays the same, and three values that change.
private struct RidingAttributes: Codable {
    struct ContentState: Codable, Hashable {
        var fee: Int
        var estimatedDistance: Double
        var estimatedRidingTime: Date
    }
}

@Suite("A ride as a Live Activity")
struct RidingActivityTests {
    private static func fixture() throws -> ActivityFixture {
        var fixture = ActivityFixture()
        let shape = #"""
            {"type":"object","properties":{"fee":{"type":"integer"},"estimatedDistance":{"type":"number"},
             "estimatedRidingTime":{"type":"date"}}}
            """#
        let contentState = try AttributesSchema(json: JSONValue(json: Array(shape.utf8)))
        fixture.book.register(
            ActivityType(name: "RidingAttributes", contentState: contentState),
            bundleID: ActivityFixture.app
        )
        return fixture
    }

    private static func state(_ distance: Double, at now: Double) throws -> JSONValue {
        let state = RidingAttributes.ContentState(
            fee: 400 + 150 * Int(distance),
            estimatedDistance: distance,
            estimatedRidingTime: Date(timeIntervalSince1970: now)
        )
        return try JSONValue(json: Array(JSONEncoder().encode(state)))
    }

    @Test("what a plain JSONEncoder writes of the state is shown; the date is decoded as it was meant")
    func updates() throws {
        var fixture = try Self.fixture()
        let id = try fixture.request(change: { request in
            request.attributes = [:]
            request.contentState = ["fee": 0, "estimatedDistance": 0.0, "estimatedRidingTime": 781_692_800.0]
        })
        for step in 1...6 {
            fixture.advance(by: 10)
            let state = try Self.state(Double(step) * 1.5, at: fixture.now)
            #expect(try fixture.push(ActivityFixture.update(fixture.now, state), to: id) == nil)
            let shown = try JSONDecoder().decode(
                RidingAttributes.ContentState.self,
                from: Data(fixture.record(id).contentState.json())
            )
            #expect(shown.fee == 400 + 150 * Int(Double(step) * 1.5))
            #expect(shown.estimatedRidingTime == Date(timeIntervalSince1970: fixture.now))
            #expect(try fixture.record(id).timeline.last?.detail == nil, "no hint")
        }
    }

    @Test("a riding time as text or as seconds since 1970 is found out")
    func wrongDates() throws {
        var fixture = try Self.fixture()
        let id = try fixture.request()
        let text: JSONValue = ["fee": 400, "estimatedDistance": 1.0, "estimatedRidingTime": "2025-10-09T08:53:20Z"]
        #expect(try fixture.push(ActivityFixture.update(fixture.now, text), to: id) == .undecodable)
        let detail = try fixture.record(id).timeline.last?.detail
        #expect(detail?.hasPrefix("content-state.estimatedRidingTime: expected a date") == true)

        let unix: JSONValue = [
            "fee": 400, "estimatedDistance": 1.0, "estimatedRidingTime": .double(fixture.now),
        ]
        #expect(try fixture.push(ActivityFixture.update(fixture.now, unix), to: id) == nil)
        #expect(try fixture.record(id).timeline.last?.detail?.contains("seconds since 1970") == true)
    }

    @Test("a ride without its distance is not shown")
    func missingKey() throws {
        var fixture = try Self.fixture()
        let id = try fixture.request()
        let state: JSONValue = ["fee": 400, "estimatedRidingTime": 781_692_800.0]
        #expect(try fixture.push(ActivityFixture.update(fixture.now, state), to: id) == .undecodable)
        #expect(
            try fixture.record(id).timeline.last?.detail
                == "content-state.estimatedDistance: expected a number, got no such key"
        )
    }

    @Test("ended at once with its last state: it is gone; else it stays for up to 12 hours in all")
    func ends() throws {
        var fixture = try Self.fixture()
        let immediate = try fixture.request()
        let left = try fixture.request()
        fixture.end(immediate, dismissal: .immediate)
        #expect(try fixture.record(immediate).state == .dismissed)
        fixture.advance(by: 12 * 3600 - 1)
        #expect(try fixture.record(left).state == .ended)
        fixture.advance(by: 1)
        #expect(try fixture.record(left).state == .dismissed)
    }
}
