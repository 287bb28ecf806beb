// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Requests of Live Activities by apps")
struct ActivityRequestTests {
    private typealias Spoiling = @Sendable (inout ActivityFixture, inout ActivityRequest) -> Void

    private static let refusals: [(String, ActivityAuthorizationError.Code?, Spoiling)] = [
        ("nothing", nil, { _, _ in }),
        ("the background", .visibility, { fixture, _ in fixture.host.isForeground = false }),
        (
            "the background with an intent", nil,
            { fixture, request in
                fixture.host.isForeground = false
                request.isIntent = true
            }
        ),
        (
            "iOS 16.0", .unsupported,
            { fixture, _ in fixture.host = ActivityFixture.host(16) }
        ),
        ("switched off", .denied, { fixture, _ in fixture.configure { $0.areActivitiesEnabled = false } }),
        ("not declared", .unsupportedTarget, { fixture, _ in fixture.host.supportsLiveActivities = false }),
        (
            "more than 4 KB", .attributesTooLarge,
            { _, request in request.attributes = ["x": .string(String(repeating: "x", count: 4090))] }
        ),
        ("as many as the app may have", .targetMaximumExceeded, { fixture, _ in fixture.switches.maximumPerApp = 0 }),
        (
            "as many as the device may have", .globalMaximumExceeded,
            { fixture, _ in fixture.switches.maximumOnDevice = 0 }
        ),
        ("a channel that is none", .unsupported, { _, request in request.pushType = .channel("bm9uZQ==") }),
        (
            "a channel on iOS 17", .unsupported,
            { fixture, request in
                fixture.channels = ["Y2hhbm5lbA=="]
                fixture.host = ActivityFixture.host(17, 5)
                request.pushType = .channel("Y2hhbm5lbA==")
            }
        ),
        (
            "a later start on iOS 18", .unsupported,
            { _, request in
                request.hasAlert = true
                request.startDate = Date(timeIntervalSince1970: ActivityFixture.start + 60)
            }
        ),
        (
            "a later start without an alert", .unsupported,
            { fixture, request in
                fixture.host = ActivityFixture.host(26)
                request.startDate = Date(timeIntervalSince1970: ActivityFixture.start + 60)
            }
        ),
    ]

    @Test("a request that the system refuses throws ActivityKit's error", arguments: refusals.indices)
    func refused(index: Int) throws {
        let (name, code, spoil) = Self.refusals[index]
        var fixture = ActivityFixture()
        var request = ActivityRequest(
            bundleID: ActivityFixture.app,
            attributesType: ActivityFixture.type,
            contentState: ["fee": 0]
        )
        spoil(&fixture, &request)
        let changed = request
        var found: ActivityAuthorizationError.Code?
        do {
            try fixture.request { $0 = changed }
        } catch {
            found = error.code
        }
        #expect(found == code, "\(name)")
        #expect(fixture.book.activities(of: ActivityFixture.device).count == (code == nil ? 1 : 0), "\(name)")
    }

    @Test("each error can be had by asking for it, once", arguments: ActivityAuthorizationError.Code.allCases)
    func asked(code: ActivityAuthorizationError.Code) throws {
        var fixture = ActivityFixture()
        fixture.configure { $0.nextRequestFailure = code }
        let error = #expect(throws: ActivityAuthorizationError.self) { try fixture.request() }
        #expect(error?.code == code)
        #expect(throws: Never.self) { try fixture.request() }
    }

    @Test("pending activities count toward the limit, ended ones do not")
    func counting() throws {
        var fixture = ActivityFixture()
        fixture.host = ActivityFixture.host(26)
        fixture.switches.maximumPerApp = 2
        let first = try fixture.request {
            $0.startDate = Date(timeIntervalSince1970: ActivityFixture.start + 60)
            $0.hasAlert = true
        }
        try fixture.request()
        #expect(throws: ActivityAuthorizationError.self) { try fixture.request() }
        fixture.end(first)
        #expect(throws: Never.self) { try fixture.request() }
    }

    @Test("an activity with a channel is subscribed until it ends")
    func channel() throws {
        var fixture = ActivityFixture()
        fixture.channels = ["Y2hhbm5lbA=="]
        let id = try fixture.request(pushType: .channel("Y2hhbm5lbA=="))
        #expect(fixture.subscriptions == [id: "Y2hhbm5lbA=="])
        fixture.end(id)
        #expect(fixture.subscriptions.isEmpty)
    }
}
