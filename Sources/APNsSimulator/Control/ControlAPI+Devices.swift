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
        let change = try SimulatedDeviceState.change(&object)
        try object.finish()
        for (index, app) in apps.enumerated() { try Self.check(app, field: "apps[\(index)]") }
        let device = try self.simulator.bootDevice(environment: environment, apps: apps)
        var traits = SimulatedDeviceState()
        change(&traits)
        guard traits != SimulatedDeviceState() else { return Self.created(device.output()) }
        return Self.created(try self.simulator.changeDevice(device.id, change).output())
    }

    private func listDevices(_ request: Request, _ context: Context) async throws -> Response {
        let query = try ControlQuery(request)
        let limit = try query.limit(upTo: Self.maximumPage) ?? 100
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
        let change = try SimulatedDeviceState.change(&object)
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
            case .notActivated: throw ControlProblem(.notActivated, detail: error.message)
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

    private static func environment(_ object: inout JSONRequestBody) throws(ControlProblem) -> APNsEnvironment? {
        guard let name = try object.string("environment") else { return nil }
        guard let environment = APNsEnvironment(rawValue: name) else {
            throw object.invalid("environment", rule: "sandbox or production", value: String(name.prefix(20)))
        }
        return environment
    }
}

/// Apps on devices, and their callbacks.
extension ControlAPI {
    func installApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        var object = try await Self.body(request)
        let bundleID = try object.require("bundleID", try object.string("bundleID"))
        try Self.check(bundleID, field: "bundleID")
        let token = try Self.token(&object)
        let change = try SimulatedAppState.change(&object)
        try object.finish()
        let device = try Self.known(id) {
            try self.simulator.install(bundleID, on: id, token: token, changing: change)
        }
        return Self.created(device.output())
    }

    func changeApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        let bundleID = try context.parameter("bundleID")
        var object = try await Self.body(request)
        guard try self.device(context).app(bundleID) != nil else { throw Self.noApp(bundleID, id) }
        let change = try SimulatedAppState.change(&object)
        try object.finish()
        let device = try Self.known(id) { try self.simulator.changeApp(bundleID, on: id, change) }
        return Self.json(device.output(withNotifications: true))
    }

    func uninstallApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        let bundleID = try context.parameter("bundleID")
        let wasInstalled = try Self.known(id) { try self.simulator.uninstall(bundleID, from: id) }
        guard wasInstalled else { throw Self.noApp(bundleID, id) }
        return Self.noContent()
    }

    func reinstallApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        let bundleID = try context.parameter("bundleID")
        var object = try await Self.body(request)
        let change = try SimulatedAppState.change(&object)
        try object.finish()
        var traits = SimulatedAppState()
        change(&traits)
        let wanted = traits
        let device = try Self.known(id) { try self.simulator.reinstall(bundleID, on: id, traits: wanted) }
        return Self.json(device.output())
    }

    // MARK: Calls and events

    func listCalls(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try ControlQuery(request)["bundleID"]
        let calls = try self.device(context).calls.filter { bundleID ?? $0.bundleID == $0.bundleID }
        return Self.json(.object([("calls", .array(calls.map(\.output)))]))
    }

    func completeCall(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        let text = try context.parameter("number")
        var object = try await Self.body(request)
        let result = try object.choice("result", FetchResult.self) ?? .newData
        try object.finish()
        let number = Int(text) ?? 0
        let wasExpected = try Self.known(id) {
            try self.simulator.completeCall(number, on: id, result: result.rawValue)
        }
        guard wasExpected else { throw ControlProblem.notFound("open call \(text.prefix(20)) on device \(id)") }
        return Self.noContent()
    }

    func listDeviceEvents(_ request: Request, _ context: Context) async throws -> Response {
        let events = try self.device(context).history
        return Self.json(.object([("events", .array(events.map(\.output)))]))
    }

    // MARK: The notification list of the user

    func listShown(_ request: Request, _ context: Context) async throws -> Response {
        Self.json(.object([("shown", .array(try self.device(context).shown.map(\.output)))]))
    }

    func dismiss(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        let query = try ControlQuery(request)
        let (identifier, bundleID) = (query["identifier"], query["bundleID"])
        let count = try Self.known(id) { try self.simulator.dismiss(identifier, on: id, of: bundleID) }
        guard count > 0 || identifier == nil else {
            throw ControlProblem.notFound("notification \(identifier?.prefix(80) ?? "") in the list of device \(id)")
        }
        return Self.json(.object([("removed", .integer(count))]))
    }

    func respond(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        let identifier = try context.parameter("identifier")
        var object = try await Self.body(request)
        let bundleID = try object.string("bundleID")
        let action = try object.string("action")
        let text = try object.string("text")
        try object.finish()
        let isThere = try Self.known(id) {
            try self.simulator.respond(to: identifier, on: id, of: bundleID, action: action, text: text)
        }
        guard isThere else {
            throw ControlProblem.notFound("notification \(identifier.prefix(80)) in the list of device \(id)")
        }
        return Self.json(try self.device(context).output(withNotifications: true))
    }

    /// The result that an app reports: `UIBackgroundFetchResult`.
    private enum FetchResult: String, CaseIterable {
        case newData, noData, failed
    }

    private static func noApp(_ bundleID: String, _ id: VirtualDeviceID) -> ControlProblem {
        ControlProblem.notFound("app \(bundleID.prefix(80)) on device \(id)")
    }

    private static func token(_ object: inout JSONRequestBody) throws(ControlProblem) -> DeviceToken? {
        guard let hex = try object.string("token") else { return nil }
        do {
            return try DeviceToken(hex: hex)
        } catch {
            throw ControlProblem(error, field: "token")
        }
    }
}

/// A partial update of a device or an app from the body of a control request: only the named members change.
extension SimulatedDeviceState {
    static func change(
        _ object: inout JSONRequestBody
    ) throws(ControlProblem) -> @Sendable (inout SimulatedDeviceState) -> Void {
        let online = try object.bool("online")
        let locked = try object.bool("locked")
        let lowPower = try object.bool("lowPower")
        let name = try self.name(&object)
        let systemName = try object.choice("systemName", SystemName.self)
        let version = try self.systemVersion(&object)
        let delay = try object.number("acknowledgementDelay", in: 0...86_400)
        return { traits in
            if let online { traits.isOnline = online }
            if let locked { traits.isLocked = locked }
            if let lowPower { traits.isLowPower = lowPower }
            if let name { traits.name = name.isEmpty ? nil : name }
            if let systemName { traits.systemName = systemName.rawValue }
            if let version { traits.systemVersion = version }
            if let delay { traits.acknowledgementDelay = delay }
        }
    }

    private static func name(_ object: inout JSONRequestBody) throws(ControlProblem) -> String? {
        guard let name = try object.string("name") else { return nil }
        guard name.utf8.count <= 100 else {
            throw object.invalid("name", rule: "at most 100 bytes", value: "\(name.utf8.count) bytes")
        }
        return name
    }

    private static func systemVersion(_ object: inout JSONRequestBody) throws(ControlProblem) -> SystemVersion? {
        guard let text = try object.string("systemVersion") else { return nil }
        guard let version = SystemVersion(text) else {
            throw object.invalid("systemVersion", rule: "a version such as 17.2", value: String(text.prefix(20)))
        }
        return version
    }

    private enum SystemName: String, CaseIterable {
        case iOS, iPadOS, macOS, tvOS, watchOS, visionOS
    }
}

extension SimulatedAppState {
    static func change(
        _ object: inout JSONRequestBody
    ) throws(ControlProblem) -> @Sendable (inout SimulatedAppState) -> Void {
        let state = try object.choice("state", AppState.self)
        let permission = try object.choice("permission", NotificationAuthorization.self)
        let modes = try self.backgroundModes(&object)
        let supportsActivities = try object.bool("supportsLiveActivities")
        let supportsFrequentUpdates = try object.bool("supportsFrequentUpdates")
        let hasServiceExtension = try object.bool("hasServiceExtension")
        let presentation = try self.presentation(&object)
        let completion = try object.choice("completion", CompletionMode.self)
        let isDebugged = try object.bool("debugged")
        return { traits in
            if let state { traits.state = state }
            if let permission { traits.permission = permission }
            if let modes { traits.backgroundModes = modes }
            if let supportsActivities { traits.supportsLiveActivities = supportsActivities }
            if let supportsFrequentUpdates { traits.supportsFrequentUpdates = supportsFrequentUpdates }
            if let hasServiceExtension { traits.hasServiceExtension = hasServiceExtension }
            if let presentation { traits.presentation = presentation }
            if let completion { traits.completion = completion }
            if let isDebugged { traits.isDebugged = isDebugged }
        }
    }

    private static func backgroundModes(_ object: inout JSONRequestBody) throws(ControlProblem) -> Set<String>? {
        let known: Set<String> = [
            "audio", "bluetooth-central", "bluetooth-peripheral", "external-accessory", "fetch", "location",
            "nearby-interaction", "network-authentication", "newsstand-content", "processing", "push-to-talk",
            "remote-notification", "voip",
        ]
        return try self.words("backgroundModes", of: known, &object)
    }

    private static func presentation(_ object: inout JSONRequestBody) throws(ControlProblem) -> Set<String>? {
        try self.words("presentation", of: ["banner", "list", "sound", "badge"], &object)
    }

    /// An array of words, each one of `known`.
    private static func words(
        _ name: String,
        of known: Set<String>,
        _ object: inout JSONRequestBody
    ) throws(ControlProblem) -> Set<String>? {
        guard let words = try object.strings(name) else { return nil }
        if let other = words.first(where: { !known.contains($0) }) {
            let rule = "of " + known.sorted().joined(separator: ", ")
            throw object.invalid(name, rule: rule, value: String(other.prefix(20)))
        }
        return Set(words)
    }
}
