// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Drives a simulator through its control API.
struct SimulatorClient: Sendable {
    /// A virtual device at one moment.
    struct Device: Decodable, Sendable {
        let id: String
        let tokens: [String: String]?
        let notifications: [Received]?
    }

    /// What a simulator says of itself.
    struct Info: Decodable, Sendable {
        struct Counters: Decodable, Sendable {
            let devices: Int
            let delivered: Int
        }

        let counters: Counters
    }

    /// A notification that arrived at a virtual device.
    struct Received: Decodable, Sendable {
        let bundleID: String
        let apnsID: String
        let payload: Payload
    }

    /// The parts of a payload that a lock screen would show, and the app's own.
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

    private let exchange: HTTPExchange

    /// A client of the control API at `url`.
    init(url: String) {
        self.exchange = HTTPExchange(url: url)
    }

    /// What the simulator says of itself.
    func info() async throws -> Info { try await self.call(.get, "/v1/info") }

    /// Boots a device with one app.
    func createDevice(environment: String, app: String) async throws -> Device {
        struct Body: Encodable {
            let environment: String
            let apps: [String]
        }
        let body = try JSON.encoder.encode(Body(environment: environment, apps: [app]))
        return try await self.call(.post, "/v1/devices", body: body)
    }

    /// What a device holds.
    func device(_ id: String) async throws -> Device {
        try await self.call(.get, "/v1/devices/\(id.asPathSegment)")
    }

    /// Removes an app from a device; its token is dead from now on.
    func uninstall(_ app: String, from device: String) async throws {
        let path = "/v1/devices/\(device.asPathSegment)/apps/\(app.asPathSegment)"
        _ = try await self.answer(.delete, path, body: nil)
    }

    func call<Value: Decodable>(_ method: HTTPVerb, _ path: String, body: Data? = nil) async throws -> Value {
        let answer = try await self.answer(method, path, body: body)
        return try APIAnswer(body: answer.body).decoded(as: Value.self)
    }

    func answer(_ method: HTTPVerb, _ path: String, body: Data?) async throws -> HTTPExchange.Answer {
        let answer = try await self.exchange.send(method, path, body: body)
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(problem: answer, of: "\(method.rawValue) \(path)")
        }
        return answer
    }
}
