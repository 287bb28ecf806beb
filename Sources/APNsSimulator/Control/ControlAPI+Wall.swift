// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import NIOCore
import WebPages

/// The device wall: its page and its state.
extension ControlAPI {
    func addWallRoutes(to router: Router<Context>) {
        router.get("/") { _, _ in try Self.page("index.html") }
        router.get("/wall/{file}") { _, context in try Self.page(try context.parameter("file")) }
        router.get("/v1/wall") { request, _ in Self.json(try self.wall(request).snapshot()) }
        router.get("/v1/wall/stream", use: self.streamWall)
        router.post("/v1/devices/{id}/notifications", use: self.injectNotification)
    }

    private func wall(_ request: Request) throws -> DeviceWall {
        let limit = try ControlQuery(request).limit(upTo: DeviceWall.maximumTiles)
        return DeviceWall(simulator: self.simulator, limit: limit ?? DeviceWall.maximumTiles)
    }

    private func streamWall(_ request: Request, _ context: Context) async throws -> Response {
        let wall = try self.wall(request)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // The browser may leave at any time; that ends the stream.
                try? await request.body.consumeWithCancellationOnInboundClose { _ in
                    var writer = writer
                    try await wall.stream { try await writer.write($0) }
                }
                try await writer.finish(nil)
            }
        )
    }

    // MARK: The page

    /// A file of the page.
    ///
    /// - Throws: ``ControlProblem`` `notFound`.
    private static func page(_ name: String) throws -> Response {
        guard let file = WebPage.wall.file(name) else {
            throw ControlProblem.notFound("file \(name.prefix(80)) of the device wall")
        }
        return file
    }

    // MARK: Notifications without a provider

    private func injectNotification(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        var object = try await Self.body(request)
        let bundleID = try object.require("bundleID", try object.string("bundleID"))
        let payload = try Array(object.require("payload", try object.json("payload")).json())
        let type = PushType(rawValue: (try object.choice("pushType", InjectedPushType.self) ?? .alert).rawValue)
        try object.finish()
        let limit = type.rule?.maximumPayloadBytes ?? 0
        guard payload.count <= limit else {
            throw object.invalid("payload", rule: "at most \(limit) bytes", value: "\(payload.count) bytes")
        }
        let apnsID = APNsID.random()
        let isInstalled = try Self.known(id) {
            try self.simulator.inject(payload, type: type, apnsID: apnsID, app: bundleID, on: id)
        }
        guard isInstalled else { throw ControlProblem.notFound("app \(bundleID.prefix(80)) on device \(id)") }
        return Self.created(.object([("apnsID", .string(apnsID.description))]))
    }

    private enum InjectedPushType: String, CaseIterable {
        case alert, background
    }
}

extension APNsSimulator {
    /// Delivers, stores or discards a notification as if APNs had accepted it from a provider.
    ///
    /// - Returns: whether the device has the app.
    fileprivate func inject(
        _ payload: [UInt8],
        type: PushType,
        apnsID: APNsID,
        app bundleID: String,
        on id: VirtualDeviceID
    ) throws(APNsSimulatorError) -> Bool {
        try self.withDevice(id) { world, device, now in
            world.giveState(device)
            guard let registration = world.activeToken(for: bundleID, of: device) else { return false }
            let priority = type == .background ? "5" : "10"
            let request = RequestHead(
                token: world.token(of: registration).bytes,
                [(.topic, bundleID), (.pushType, type.rawValue), (.priority, priority)],
                payload: payload
            )
            let facts = ParsedRequestHeaders(request, switches: world.switches)
            world.accept(request, facts, for: registration, apnsID: apnsID, now: now)
            return true
        }
    }
}
