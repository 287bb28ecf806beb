// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Reminders of Live Activities")
struct ActivityReminderTests {
    private static func start(_ fixture: RequestFixture) throws -> ActivityID {
        fixture.world.advance(to: fixture.now)
        fixture.changeApp { $0.state = .foreground }
        let request = ActivityRequest(
            bundleID: RequestFixture.app,
            attributesType: "RideAttributes",
            contentState: ["n": 0],
            pushType: .none
        )
        return try fixture.world.startActivity(request, on: fixture.device, now: fixture.now).id
    }

    private static func update(_ id: ActivityID, staleIn seconds: Double, _ fixture: RequestFixture) {
        let content = ActivityContent(
            contentState: ["n": 1],
            staleDate: .init(timeIntervalSince1970: fixture.now + seconds)
        )
        let effects = fixture.world.activities.update(id, content, now: fixture.now)
        fixture.world.perform(effects, now: fixture.now)
    }

    @Test("an activity that is updated time and again has few of them, and they do not breed")
    func few() throws {
        let fixture = try RequestFixture()
        let id = try Self.start(fixture)
        let planned = fixture.world.timeline.count
        for step in 1...200 {
            Self.update(id, staleIn: 60 + Double(step), fixture)
            fixture.advance(by: 1)
        }
        #expect(fixture.world.timeline.count <= planned + 2)
        fixture.advance(by: 7200)
        #expect(fixture.world.activities[id]?.state == .stale)
        #expect(fixture.world.timeline.count <= planned + 2)
        fixture.advance(by: 13 * 3600)
        #expect(fixture.world.activities[id]?.state == .dismissed)
        #expect(fixture.world.timeline.count == 0)
    }

    @Test("one that grows stale earlier than was planned, or later, does so at its time", arguments: [30.0, 5000])
    func moved(seconds: Double) throws {
        let fixture = try RequestFixture()
        let id = try Self.start(fixture)
        Self.update(id, staleIn: 600, fixture)
        Self.update(id, staleIn: seconds, fixture)
        fixture.advance(by: seconds - 1)
        #expect(fixture.world.activities[id]?.state == .active)
        fixture.advance(by: 1)
        #expect(fixture.world.activities[id]?.state == .stale)
    }
}
