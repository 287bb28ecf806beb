// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation

/// Virtual devices.
extension SimulatorClient {
    /// The state of a virtual device.
    struct Device: Decodable, Sendable {
        let id: String
        let tokens: [String: String]?
        let notifications: [Received]?
    }

    /// A notification that a virtual device received.
    struct Received: Decodable, Sendable {
        let bundleID: String
        let apnsID: String
        let payload: Payload
    }

    /// The parts of a payload that a Lock Screen shows, and those of the app.
    struct Payload: Decodable, Sendable, Hashable {
        struct APS: Decodable, Sendable, Hashable {
            struct Alert: Decodable, Sendable, Hashable {
                let title: String?
                let body: String?
            }

            let alert: Alert?
            let sound: String?
            let badge: Int?
        }

        let aps: APS
        let deviceID: String?
        let date: String?
        let action: String?

        private enum CodingKeys: String, CodingKey {
            case aps
            case deviceID = "device_id"
            case date
            case action
        }
    }

    /// Boots a device with one app.
    func createDevice(environment: String, app: String) async throws -> Device {
        struct Body: Encodable {
            let environment: String
            let apps: [String]
        }
        let body = try JSON.encoder.encode(Body(environment: environment, apps: [app]))
        return try await self.call(.post, "/v1/devices", body: body)
    }

    func device(_ id: String) async throws -> Device {
        try await self.call(.get, "/v1/devices/\(id.asPathSegment)")
    }

    /// Removes an app from a device; its token becomes unregistered.
    func uninstall(_ app: String, from device: String) async throws {
        let path = "/v1/devices/\(device.asPathSegment)/apps/\(app.asPathSegment)"
        _ = try await self.answer(.delete, path, body: nil)
    }
}

/// Live Activities on virtual devices, and the simulated time.
extension SimulatorClient {
    /// The state of a Live Activity on a virtual device.
    struct Activity: Decodable, Sendable {
        /// An entry of its timeline on the device.
        struct Entry: Decodable, Sendable {
            let change: String
            let cause: String?
            let apnsID: String?
        }

        let state: String
        let token: String?
        let timeline: [Entry]
    }

    /// A push of any type that a virtual device received.
    struct Arrival: Sendable {
        let device: String
        let apnsID: String
        let payload: JSONValue
    }

    // MARK: Apps

    /// Registers the schema of an activity type, so that its pushes are decoded as the app would.
    func registerActivityType(
        _ name: String,
        of app: String,
        contentState: JSONValue,
        attributes: JSONValue
    )
        async throws
    {
        let body: JSONValue = ["contentState": contentState, "attributes": attributes]
        let path = "/v1/apps/\(app.asPathSegment)/activity-types/\(name.asPathSegment)"
        _ = try await self.answer(.put, path, body: Data(try body.json()))
    }

    /// Opens an app, as the user would.
    func bringToFront(_ app: String, on device: String) async throws {
        _ = try await self.answer(.patch, Self.path(app, on: device), body: Data(#"{"state":"foreground"}"#.utf8))
    }

    /// Allows an app to show Live Activities that pushes start, as the user would.
    func allowActivities(of app: String, on device: String) async throws {
        let path = "\(Self.path(app, on: device))/live-activities"
        _ = try await self.answer(.patch, path, body: Data(#"{"allowed":true}"#.utf8))
    }

    func pushToStartToken(for type: String, of app: String, on device: String) async throws -> String {
        struct Answer: Decodable {
            let token: String
        }
        let body = try JSON.encoder.encode(["attributesType": type])
        let answer: Answer = try await self.call(.post, "\(Self.path(app, on: device))/push-to-start", body: body)
        return answer.token
    }

    // MARK: Activities

    /// Starts an activity from the app, like `Activity.request`.
    func startActivity(
        _ type: String,
        of app: String,
        on device: String,
        attributes: JSONValue,
        contentState: JSONValue
    ) async throws -> Activity {
        let body: JSONValue = [
            "bundleID": .string(app), "attributesType": .string(type), "attributes": attributes,
            "contentState": contentState,
        ]
        return try await self.call(
            .post,
            "/v1/devices/\(device.asPathSegment)/activities",
            body: Data(try body.json())
        )
    }

    /// The activities on a device, the oldest first.
    func activities(on device: String) async throws -> [Activity] {
        struct Answer: Decodable {
            let activities: [Activity]
        }
        let answer: Answer = try await self.call(.get, "/v1/devices/\(device.asPathSegment)/activities")
        return answer.activities
    }

    /// Returns all pushes that some devices received, in this order.
    func arrivals(at devices: [String]) async throws -> [Arrival] {
        let list = devices.map(\.asPathSegment).joined(separator: ",")
        let answer = try await self.answer(.get, "/v1/deliveries?follow=false&device=\(list)", body: nil)
        return try answer.body.split(separator: UInt8(ascii: "\n")).map { line in
            let entry = try JSONValue(json: Array(line))
            guard case .string(let device) = entry["device"], case .string(let apnsID) = entry["apnsID"],
                let payload = entry["payload"]
            else { throw CommandError("unexpected_response", "A line of /v1/deliveries is not a delivery.") }
            return Arrival(device: device, apnsID: apnsID, payload: payload)
        }
    }

    // MARK: Time

    /// The simulated time.
    func now() async throws -> Date {
        let reading: SimulatedTime.Reading = try await self.call(.get, "/v1/clock")
        return Date(timeIntervalSince1970: reading.seconds)
    }

    /// Advances the simulated time.
    ///
    /// When it returns, all due events on devices have occurred, and the processes that follow the simulator use the
    /// new time.
    func advance(by seconds: Double) async throws {
        _ = try await self.answer(.post, "/v1/clock:advance", body: try JSON.encoder.encode(["seconds": seconds]))
    }

    private static func path(_ app: String, on device: String) -> String {
        "/v1/devices/\(device.asPathSegment)/apps/\(app.asPathSegment)"
    }
}
