// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import UIKit
import VirtualDevice

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The simulator and the server that `dev/lib/stage.py` starts for the tests.
///
/// Its methods block until the response arrives, so use it only in tests.
public struct Stage: Sendable {
    /// The base URL of the simulator's control API.
    public let control: URL
    /// The base URL of the server.
    public let server: URL
    /// An API key of the server with all scopes.
    public let adminKey: String
    /// An API key with the scope `client` for the app.
    public let clientKey: String
    /// The app's bundle ID.
    public let app: String

    /// The values from the process environment; `nil` if they are missing.
    public static func ofProcess(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Stage? {
        guard let control = environment["APUS_STAGE_CONTROL"].flatMap(URL.init(string:)),
            let server = environment["APUS_STAGE_SERVER"].flatMap(URL.init(string:)),
            let adminKey = environment["APUS_STAGE_ADMIN_KEY"],
            let clientKey = environment["APUS_STAGE_CLIENT_KEY"],
            let app = environment["APUS_STAGE_APP"]
        else { return nil }
        return Stage(control: control, server: server, adminKey: adminKey, clientKey: clientKey, app: app)
    }

    // MARK: Requests

    /// Sends a request to the simulator's control API; the response is a JSON object.
    @discardableResult
    public func control(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> [String: Any] {
        try Self.call(self.control, nil, method, path, body)
    }

    /// Sends a request to the server as the backend; the response is a JSON object.
    @discardableResult
    public func backend(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> [String: Any] {
        try Self.call(self.server, self.adminKey, method, "/v1/apps/\(self.app)\(path)", body)
    }

    /// Sends a request to any path of the server as the operator; the response is a JSON object.
    @discardableResult
    public func operate(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> [String: Any] {
        try Self.call(self.server, self.adminKey, method, path, body)
    }

    private static func call(
        _ base: URL,
        _ key: String?,
        _ method: String,
        _ path: String,
        _ body: [String: Any]?
    ) throws -> [String: Any] {
        guard let url = URL(string: base.absoluteString + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let done = DispatchSemaphore(value: 0)
        let answer = Locked<(Data, Int)>((Data(), 0))
        let task = URLSession.shared.dataTask(with: request) { data, response, _ in
            answer.with { $0 = (data ?? Data(), (response as? HTTPURLResponse)?.statusCode ?? 0) }
            done.signal()
        }
        task.resume()
        done.wait()
        let (data, status) = answer.with { $0 }
        guard (200..<300).contains(status) else {
            throw StageError(status: status, text: String(decoding: data, as: UTF8.self))
        }
        return try data.isEmpty ? [:] : JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    // MARK: Devices

    /// Boots a device with the app, and connects this process as the app.
    ///
    /// `traits` is the state of the app in the format of the control API. `system` is the iOS version.
    public func boot(_ traits: [String: Any] = [:], system: String = "26.0") throws -> Phone {
        let device = try self.control("POST", "/v1/devices", ["apps": [self.app], "systemVersion": system])
        let id = device["id"] as? String ?? ""
        let container = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)")
        let phone = Phone(stage: self, id: id, container: container)
        try self.control("PATCH", phone.appPath, ["state": "notLaunched"].merging(traits) { $1 })
        VirtualDeviceSession.shared.connect(
            VirtualDeviceContext(control: self.control, device: id, bundleID: self.app, container: container)
        )
        return phone
    }

    /// Sends a payload to a token through the server, and waits for the APNs response.
    ///
    /// `more` has additional members of the request, such as `pushType`.
    @discardableResult
    public func send(_ payload: [String: Any], to token: String, _ more: [String: Any] = [:]) throws -> [String: Any] {
        let body: [String: Any] = ["targets": ["tokens": [token]], "payload": payload]
        return try self.backend("POST", "/notifications?wait=true", body.merging(more) { $1 })
    }
}

/// A virtual device with the app.
public struct Phone: Sendable {
    public let stage: Stage
    public let id: String
    /// The app's container directory.
    public let container: URL

    public var path: String { "/v1/devices/\(self.id)" }
    public var appPath: String { "\(self.path)/apps/\(self.stage.app)" }

    /// The method names of the callbacks to the app.
    public func calls(_ name: String) throws -> [[String: Any]] {
        let calls = try self.stage.control("GET", "\(self.path)/calls")["calls"] as? [[String: Any]] ?? []
        return calls.filter { ($0["call"] as? String)?.contains(name) == true }
    }

    /// The app's device token.
    public var token: String {
        get throws {
            let tokens = try self.stage.control("GET", self.path)["tokens"] as? [String: String]
            return tokens?[self.stage.app] ?? ""
        }
    }

    /// Changes the state of the app or the user's permissions.
    public func change(_ traits: [String: Any]) throws { try self.stage.control("PATCH", self.appPath, traits) }

    /// The Live Activities of the device.
    public var activities: [[String: Any]] {
        get throws { try self.stage.control("GET", "\(self.path)/activities")["activities"] as? [[String: Any]] ?? [] }
    }
}

/// An unsuccessful response.
public struct StageError: Error, CustomStringConvertible {
    public let status: Int
    public let text: String
    public var description: String { "\(self.status): \(self.text)" }
}

/// Polls until a closure returns a value, and returns the value.
///
/// It polls after each change of the device. Changes on the server cause no event, so it also polls at increasing
/// intervals of up to 250 ms. It fails after one minute, because the expected changes take milliseconds.
@MainActor public func eventually<Value>(
    _ what: String,
    _ look: @MainActor () async throws -> Value?
) async throws -> Value {
    let end = Date().addingTimeInterval(60)
    let shortest = 0.005
    var pause = shortest
    while Date() < end {
        if let value = try await look() { return value }
        let hasHappened = await VirtualDeviceSession.shared.waitForLook(atMost: pause)
        pause = hasHappened ? shortest : min(0.25, pause * 2)
    }
    throw StageError(status: 0, text: "not after a minute: \(what)")
}
