// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// Apps on devices, and what they are told.
extension ControlAPI {
    func installApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        var object = try await Self.body(request)
        let bundleID = try object.require("bundleID", try object.string("bundleID"))
        try Self.check(bundleID, field: "bundleID")
        let token = try Self.token(&object)
        let change = try AppTraits.change(&object)
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
        let change = try AppTraits.change(&object)
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
        let change = try AppTraits.change(&object)
        try object.finish()
        var traits = AppTraits()
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

    // MARK: The list that the person sees

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

    /// What an app says that it found: `UIBackgroundFetchResult`.
    private enum FetchResult: String, CaseIterable {
        case newData, noData, failed
    }

    private static func noApp(_ bundleID: String, _ id: VirtualDeviceID) -> ControlProblem {
        ControlProblem.notFound("app \(bundleID.prefix(80)) on device \(id)")
    }

    private static func token(_ object: inout RequestObject) throws(ControlProblem) -> DeviceToken? {
        guard let hex = try object.string("token") else { return nil }
        do {
            return try DeviceToken(hex: hex)
        } catch {
            throw ControlProblem(error, field: "token")
        }
    }
}
