// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// Devices and their apps.
extension ControlAPI {
    /// The most devices on one page.
    private static let maximumPage = 1000

    func bootDevice(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let environment = try Self.environment(&object)
        let apps = try object.require("apps", try object.strings("apps"))
        try object.finish()
        for (index, app) in apps.enumerated() { try Self.check(app, field: "apps[\(index)]") }
        let device = try self.simulator.bootDevice(environment: environment, apps: apps)
        return Self.created(device.output())
    }

    func listDevices(_ request: Request, _ context: Context) async throws -> Response {
        let query = request.uri.queryParameters
        var limit = 100
        if let text = query["limit"] {
            guard let number = Int(text), (1...Self.maximumPage).contains(number) else {
                let rule = "an integer of 1...\(Self.maximumPage)"
                throw ControlProblem(.invalidValue, field: "limit", rule: rule, value: String(text.prefix(20)))
            }
            limit = number
        }
        let after = query["after"].map { VirtualDeviceID(rawValue: String($0)) }
        guard let devices = self.simulator.devices(after: after, limit: limit) else {
            throw ControlProblem.notFound("device with the identifier in \"after\"")
        }
        let next: String? = devices.count == limit ? devices.last?.id.rawValue : nil
        return Self.json(
            .object([("devices", .array(devices.map { $0.output() })), ("next", .optional(next))])
        )
    }

    func showDevice(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        guard let device = self.simulator.device(id) else { throw ControlProblem.notFound("device \(id)") }
        return Self.json(device.output(withNotifications: true))
    }

    func changeDevice(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        var object = try await Self.body(request)
        let online = try object.bool("online")
        try object.finish()
        let device = try Self.known(id) {
            if let online { return try self.simulator.setOnline(online, id) }
            return self.simulator.device(id)
        }
        return Self.json(device.output(withNotifications: true))
    }

    func installApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        var object = try await Self.body(request)
        let bundleID = try object.require("bundleID", try object.string("bundleID"))
        try object.finish()
        try Self.check(bundleID, field: "bundleID")
        let device = try Self.known(id) { try self.simulator.install(bundleID, on: id) }
        return Self.created(device.output())
    }

    func uninstallApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        let bundleID = try context.parameters.require("bundleID")
        let wasInstalled = try Self.known(id) { try self.simulator.uninstall(bundleID, from: id) }
        guard wasInstalled else { throw ControlProblem.notFound("app \(bundleID.prefix(80)) on device \(id)") }
        return Self.noContent()
    }

    private static func deviceID(_ context: Context) throws -> VirtualDeviceID {
        VirtualDeviceID(rawValue: String(try context.parameters.require("id").prefix(80)))
    }

    /// Turns an unknown device into a problem.
    private static func known<Value>(_ id: VirtualDeviceID, _ body: () throws -> Value?) throws -> Value {
        do {
            if let value = try body() { return value }
        } catch let error as APNsSimulatorError where error.code == .unknownDevice {
            // Said below.
        }
        throw ControlProblem.notFound("device \(id)")
    }

    private static func check(_ topic: String, field: String) throws(ControlProblem) {
        do {
            _ = try Topic(topic)
        } catch {
            throw ControlProblem(error, field: field)
        }
    }

    private static func environment(_ object: inout RequestObject) throws(ControlProblem) -> APNsEnvironment? {
        guard let name = try object.string("environment") else { return nil }
        guard let environment = APNsEnvironment(rawValue: name) else {
            throw object.invalid("environment", rule: "sandbox or production", value: String(name.prefix(20)))
        }
        return environment
    }
}
