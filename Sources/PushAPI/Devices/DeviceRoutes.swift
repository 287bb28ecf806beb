// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The operations on devices: `/v1/apps/{app}/devices`.
struct DeviceRoutes: APIRoutes {
    let store: any PushStore
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/devices"
        let single = "/v1/apps/{app}/devices/{installation}"
        return [
            APIRoute(.get, list, .scopes([.devices, .read]), self.list),
            APIRoute(.put, single, .scopes([.devices, .client]), self.register),
            APIRoute(.get, single, .scopes([.devices, .read]), self.show),
            APIRoute(.delete, single, .scopes([.devices, .client]), self.remove),
        ]
    }

    private func list(_ call: APICall) async throws -> Response {
        let page = try PageRequest(try call.query("after", "limit"))
        let cursor = try page.cursor { Int64($0).map(DeviceCursor.init(rawValue:)) }
        let app = try await self.store.requireApp(call)
        let devices = try await self.store.devices(of: app.id, after: cursor, limit: page.limit)
        let next = devices.next.map { String($0.rawValue) }
        return try .json(DeviceListBody(devices: devices.elements.map(DeviceBody.init), next: next))
    }

    private func register(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let installation = try call.installation()
        let request = try DeviceRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await self.store.requireApp(call)
        let registration = DeviceRegistration(
            app: app.id,
            installation: installation,
            token: request.token,
            environment: request.environment ?? app.defaultEnvironment,
            profile: request.profile
        )
        let device = try await self.store.register(registration, now: self.now())
        let isNew = device.createdAt == device.registeredAt
        return try .json(DeviceBody(device), status: isNew ? .created : .ok)
    }

    private func show(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let app = try await self.store.requireApp(call)
        let device = try await self.store.device(try call.installation(), of: app.id)
        guard let device else { throw Problem.unknownDevice }
        return try .json(DeviceBody(device))
    }

    private func remove(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let app = try await self.store.requireApp(call)
        guard try await self.store.removeDevice(try call.installation(), of: app.id) else {
            throw Problem.unknownDevice
        }
        return Response(status: .noContent)
    }
}

extension APICall {
    /// The installation in the path.
    func installation() throws(Problem) -> InstallationID {
        let text = self.parameter("installation")
        if let id = text.flatMap(InstallationID.init(rawValue:)) { return id }
        let found = text.map { "\($0.utf8.count) bytes" } ?? "bytes that are not UTF-8"
        throw Problem(.invalidRequest, at: .parameter("installation"), expected: InstallationID.rule, got: found)
    }
}

extension Problem {
    /// There is no device of the installation in the path.
    static var unknownDevice: Problem {
        Problem(.deviceNotFound, "The app has no device of the installation in the path.")
    }
}
