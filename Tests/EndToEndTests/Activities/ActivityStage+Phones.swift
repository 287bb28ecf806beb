// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

extension ActivityStage {
    /// Switches a phone on that has the app on its screen.
    func phone() throws -> VirtualDeviceID {
        let device = try self.simulator.bootDevice(apps: [ServerInTest.app]).id
        try self.simulator.changeApp(ServerInTest.app, on: device) { $0.state = .foreground }
        return device
    }

    /// The app starts an activity on a phone.
    func start(on phone: VirtualDeviceID, state: JSONValue = ["status": "active"]) throws -> LiveActivity {
        try self.simulator.startActivity(
            ActivityRequest(bundleID: ServerInTest.app, attributesType: Self.type, contentState: state),
            on: phone
        )
    }

    /// The app tells the update token that an activity on its phone has.
    @discardableResult
    func tellToken(of activity: LiveActivity, as name: String, _ more: String = "") async throws -> Receipt {
        let token = try #require(self.simulator.activity(activity.id)?.token)
        let body = #"{"token":"\#(token.hex)"\#(more)}"#
        return try await self.client.call(
            .put,
            "\(Self.path(name))/tokens/\(activity.device.rawValue)",
            body: Data(body.utf8)
        ).decoded()
    }

    /// The app tells the token with which pushes start activities on its phone.
    func tellStartToken(of phone: VirtualDeviceID, _ more: String = "") async throws {
        let token = try self.simulator.issuePushToStartToken(Self.type, for: ServerInTest.app, on: phone)
        let path = "/v1/apps/\(ServerInTest.app)/devices/\(phone.rawValue)/start-tokens/\(Self.type)"
        _ = try await self.backend.call(.put, path, body: Data(#"{"token":"\#(token.hex)"\#(more)}"#.utf8))
    }

    /// Waits until an activity on a phone is as it should be.
    @discardableResult
    func wait(for id: ActivityID, _ condition: (LiveActivity) -> Bool) async throws -> LiveActivity {
        // Read from before the first look, so that nothing is missed between the two.
        var events = self.simulator.events().makeAsyncIterator()
        while true {
            if let activity = self.simulator.activity(id), condition(activity) { return activity }
            _ = try #require(await events.next(), "the simulator has ended")
        }
    }

    /// Waits until a phone shows an activity that a push has started.
    func waitForStart(on phone: VirtualDeviceID) async throws -> LiveActivity {
        var events = self.simulator.events().makeAsyncIterator()
        while true {
            if let activity = self.simulator.activities(on: phone).first { return activity }
            _ = try #require(await events.next(), "the simulator has ended")
        }
    }

    /// The `timestamp` of what has arrived at a phone, in the order of its arrival.
    static func timestamps(_ deliveries: [Delivery]) throws -> [Int] {
        try deliveries.map { delivery in
            let payload = try JSONValue(json: delivery.notification.payload)
            let timestamp: Int64? = if case .integer(let number)? = payload["aps"]?["timestamp"] { number } else { nil }
            return Int(try #require(timestamp, "a push has no timestamp"))
        }
    }
}
