// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation

/// The requests of apps and the backend for one Live Activity.
struct DemoActivityCalls: Sendable {
    /// How the API writes times.
    private static let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }

    /// The displayed part of a transition.
    struct Transition: Decodable {
        let id: String
        let state: String
        let dueAt: String?

        var due: Date? { self.dueAt.flatMap(DemoActivityCalls.time) }
    }

    /// The backend, which may do everything.
    let backend: APIClient

    /// The client of the app on devices, whose key can only register devices and tokens.
    let client: APIClient

    let app: String
    let id: String

    /// The secret that the app on the device presents, as ApusKit does.
    private let secret: [String: String]

    var path: String { "/v1/apps/\(self.app)/activities/\(self.id)" }

    /// Creates an app with a credential, and the requests for one of its activities.
    static func make(
        _ id: String,
        of app: String,
        named name: String,
        on stage: LocalTestEnvironment
    ) async throws
        -> DemoActivityCalls
    {
        try await stage.createApp(app, name: name)
        let draft: JSONValue = ["name": "the app on phones", "scopes": ["client"], "app": .string(app)]
        let key = try await stage.api.call(.post, "/v1/keys", body: Data(try draft.json()))
            .decoded(as: KeyResponse.self)
        let client = APIClient(url: stage.server.url, key: key.key ?? "")
        let bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let secret = bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").prefix(43)
        return DemoActivityCalls(
            backend: stage.api,
            client: client,
            app: app,
            id: id,
            secret: ["Apus-Installation-Secret": String(secret)]
        )
    }

    /// The same app's calls for another activity.
    func another(_ id: String) -> DemoActivityCalls {
        DemoActivityCalls(backend: self.backend, client: self.client, app: self.app, id: id, secret: self.secret)
    }

    private static func time(_ text: String) -> Date? {
        self.styles.lazy.compactMap { try? Date(text, strategy: $0) }.first
    }

    // MARK: The app

    /// Registers a device with its token, as an app does at its launch.
    ///
    /// - Returns: the registration time by the server's clock.
    func register(_ installation: String, token: String) async throws -> Date? {
        let path = "/v1/apps/\(self.app)/devices/\(installation)"
        let body = try JSON.encoder.encode(["token": token])
        let device: DeviceResponse = try await self.client.call(.put, path, body: body, headers: self.secret).decoded()
        return Self.time(device.registeredAt)
    }

    /// Registers the update token of a device, and the activity that the app started there.
    func tell(token: String, of installation: String, _ members: [String: JSONValue] = [:]) async throws {
        let body = JSONValue.object(members.merging(["token": .string(token)]) { $1 })
        let path = "\(self.path)/tokens/\(installation)"
        _ = try await self.client.call(.put, path, body: Data(try body.json()), headers: self.secret)
    }

    /// Registers the push-to-start token for a type of activities on a device.
    func tell(startToken token: String, for type: String, of installation: String) async throws {
        let path = "/v1/apps/\(self.app)/devices/\(installation)/start-tokens/\(type)"
        let body = try JSON.encoder.encode(["token": token])
        _ = try await self.client.call(.put, path, body: body, headers: self.secret)
    }

    // MARK: The backend

    /// Starts the activity by a push.
    func start(_ body: JSONValue) async throws {
        _ = try await self.backend.call(.post, "/v1/apps/\(self.app)/activities", body: Data(try body.json()))
    }

    func change(_ body: JSONValue) async throws {
        _ = try await self.backend.call(.patch, self.path, body: Data(try body.json()))
    }

    func plan(_ key: String, _ body: JSONValue) async throws -> Transition {
        try await self.backend.call(.put, "\(self.path)/transitions/\(key)", body: Data(try body.json())).decoded()
    }

    /// Returns the scheduled and the completed transitions.
    func transitions() async throws -> [Transition] {
        struct Answer: Decodable {
            let transitions: [Transition]
        }
        return try await self.backend.call(.get, "\(self.path)/transitions").decoded(as: Answer.self).transitions
    }

    /// Whether everything that was sent of it has its outcome.
    func isSettled() async throws -> Bool {
        struct Answer: Decodable {
            struct Entry: Decodable {
                let sent: [Sending]
            }
            struct Sending: Decodable {
                let count: Int
                let delivered: Int?
                let rejected: [String: Int]?
                let failed: [String: Int]?

                var isSettled: Bool {
                    let failures = [self.rejected, self.failed].compactMap(\.self).flatMap(\.values)
                    return ([self.delivered ?? 0] + failures).clampingSum >= self.count
                }
            }
            let entries: [Entry]
        }
        let timeline: Answer = try await self.backend.call(.get, "\(self.path)/timeline?limit=1000").decoded()
        return timeline.entries.allSatisfy { $0.sent.allSatisfy(\.isSettled) }
    }
}
