// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// Devices.
extension ControlAPI {
    /// The most devices on one page.
    private static let maximumPage = 1000

    func addDeviceRoutes(to router: Router<Context>) {
        router.post("/v1/devices", use: self.bootDevice)
        router.get("/v1/devices", use: self.listDevices)
        router.get("/v1/devices/{id}", use: self.showDevice)
        router.patch("/v1/devices/{id}", use: self.changeDevice)
        router.post("/v1/devices/{id}/restore", use: self.restoreDevice)
        router.post("/v1/devices/{id}/apps", use: self.installApp)
        router.patch("/v1/devices/{id}/apps/{bundleID}", use: self.changeApp)
        router.delete("/v1/devices/{id}/apps/{bundleID}", use: self.uninstallApp)
        router.post("/v1/devices/{id}/apps/{bundleID}/reinstall", use: self.reinstallApp)
        router.get("/v1/devices/{id}/calls", use: self.listCalls)
        router.post("/v1/devices/{id}/calls/{number}/completion", use: self.completeCall)
        router.get("/v1/devices/{id}/events", use: self.listDeviceEvents)
        router.get("/v1/devices/{id}/shown", use: self.listShown)
        router.delete("/v1/devices/{id}/shown", use: self.dismiss)
        router.post("/v1/devices/{id}/shown/{identifier}/response", use: self.respond)
    }

    private func bootDevice(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let environment = try Self.environment(&object)
        let apps = try object.require("apps", try object.strings("apps"))
        let change = try DeviceTraits.change(&object)
        try object.finish()
        for (index, app) in apps.enumerated() { try Self.check(app, field: "apps[\(index)]") }
        let device = try self.simulator.bootDevice(environment: environment, apps: apps)
        var traits = DeviceTraits()
        change(&traits)
        guard traits != DeviceTraits() else { return Self.created(device.output()) }
        return Self.created(try self.simulator.changeDevice(device.id, change).output())
    }

    private func listDevices(_ request: Request, _ context: Context) async throws -> Response {
        let query = try ControlQuery(request)
        var limit = 100
        if let text = query["limit"] {
            guard let number = Int(text), (1...Self.maximumPage).contains(number) else {
                let rule = "an integer of 1...\(Self.maximumPage)"
                throw ControlProblem(.invalidValue, field: "limit", rule: rule, value: String(text.prefix(20)))
            }
            limit = number
        }
        let after = query["after"].map { VirtualDeviceID(rawValue: $0) }
        guard let devices = self.simulator.devices(after: after, limit: limit) else {
            throw ControlProblem.notFound("device with the identifier in \"after\"")
        }
        let next: String? = devices.count == limit ? devices.last?.id.rawValue : nil
        return Self.json(
            .object([("devices", .array(devices.map { $0.output() })), ("next", .optional(next))])
        )
    }

    private func showDevice(_ request: Request, _ context: Context) async throws -> Response {
        Self.json(try self.device(context).output(withNotifications: true))
    }

    private func changeDevice(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        var object = try await Self.body(request)
        _ = try self.device(context)
        let change = try DeviceTraits.change(&object)
        try object.finish()
        let device = try Self.known(id) { try self.simulator.changeDevice(id, change) }
        return Self.json(device.output(withNotifications: true))
    }

    private func restoreDevice(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        try await Self.body(request).finish()
        return Self.created(try Self.known(id) { try self.simulator.restoreBackup(of: id) }.output())
    }

    // MARK: Common

    /// The device that the path names, with all that it holds.
    func device(_ context: Context) throws -> VirtualDevice {
        let id = try Self.deviceID(context)
        guard let device = self.simulator.device(id) else { throw ControlProblem.notFound("device \(id)") }
        return device
    }

    static func deviceID(_ context: Context) throws -> VirtualDeviceID {
        VirtualDeviceID(rawValue: String(try context.parameter("id").prefix(80)))
    }

    /// Turns an unknown device or app into a problem.
    static func known<Value>(_ id: VirtualDeviceID, _ body: () throws -> Value?) throws -> Value {
        do {
            if let value = try body() { return value }
        } catch let error as APNsSimulatorError {
            switch error.code {
            case .unknownDevice, .unknownApp: throw ControlProblem(.notFound, detail: error.message)
            case .tokenTaken:
                throw ControlProblem(.alreadyTaken, field: "token", rule: "a free token", value: "one in use")
            default: throw error
            }
        }
        throw ControlProblem.notFound("device \(id)")
    }

    static func check(_ topic: String, field: String) throws(ControlProblem) {
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
