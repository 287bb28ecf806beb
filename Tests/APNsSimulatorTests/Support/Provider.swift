// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

/// A provider with the simulator's own key and one connection, for tests that look at the other side.
struct Provider: Sendable {
    static let app = "com.example.app"

    let client: ProviderTestClient
    private let token: String

    init(_ simulator: APNsSimulator) async throws {
        self.token = try ProviderTokenFactory(simulator.demoKey).token(issuedAt: Date())
        self.client = try await ProviderTestClient(simulator)
    }

    /// Sends a notification to a device's app.
    @discardableResult
    func push(
        to device: VirtualDevice,
        app: String = Self.app,
        body: [UInt8] = PushRequest.body
    ) async throws -> TestResponse {
        let path = "/3/device/\(try #require(device.token(app)).hex)"
        let fields = PushRequest.fields(
            path: path,
            others: [("authorization", "bearer \(self.token)"), ("apns-topic", app)]
        )
        return try await self.client.send(fields, body: body)
    }
}
