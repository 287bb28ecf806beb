// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// Broadcast channels.
extension ControlAPI {
    func addChannelRoutes(to router: Router<Context>) {
        router.get("/v1/apps/{bundleID}/channels", use: self.listChannels)
        router.post("/v1/apps/{bundleID}/channels", use: self.createChannel)
        router.get("/v1/apps/{bundleID}/broadcast", use: self.showBroadcast)
        router.put("/v1/apps/{bundleID}/broadcast", use: self.changeBroadcast)
    }

    func listChannels(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        let environments = APNsEnvironment.allCases.map { self.simulator.channels(of: bundleID, environment: $0) }
        return Self.json(.object([("channels", .array(environments.joined().map(\.output)))]))
    }

    func createChannel(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        var object = try await Self.body(request)
        let policy = try object.integer("storagePolicy", in: 0...1) ?? 0
        let environment = try object.choice("environment", APNsEnvironment.self)
        try object.finish()
        let channel = try Self.translating {
            try self.simulator.createChannel(
                for: bundleID,
                environment: environment,
                storagePolicy: ChannelStoragePolicy(rawValue: policy) ?? .noMessageStored
            )
        }
        return Self.created(channel.output)
    }

    func showBroadcast(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        return Self.json(.object([("enabled", .bool(self.simulator.isBroadcastEnabled(for: bundleID)))]))
    }

    func changeBroadcast(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        var object = try await Self.body(request)
        let isEnabled = try object.require("enabled", try object.bool("enabled"))
        try object.finish()
        self.simulator.setBroadcastEnabled(isEnabled, for: bundleID)
        return Self.json(.object([("enabled", .bool(isEnabled))]))
    }
}
