// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import PushModel
import Synchronization

/// Callers that send single notifications and register devices while their server is killed and started again.
///
/// They record each call that the server acknowledged.
final class KillLoad: Sendable {
    /// The acknowledged calls of a load, and the registrations that it attempted.
    struct Record: Sendable {
        /// The acknowledged notifications, by their number.
        var sends: [Int: NotificationID] = [:]

        /// The latest version that each device registered with, acknowledged and attempted.
        var registered: [String: Int] = [:]
        var attempted: [String: Int] = [:]

        var registrations = 0
    }

    private struct State {
        var api: APIClient?
        var isOver = false
        var lastNumber = 0
        var record = Record()
    }

    private struct Accepted: Decodable {
        let id: NotificationID
    }

    private static let senders = 32
    private static let registrars = 16
    private static let devicesOfRegistrar = 20
    private static let path = "/v1/apps/\(RestartedServer.app)"

    private let tokens: [DeviceToken]
    private let state = Mutex(State())

    /// The tokens of the devices that notifications are sent to, in turn by their numbers.
    init(tokens: [DeviceToken]) { self.tokens = tokens }

    var record: Record { self.state.withLock { $0.record } }

    /// Whether a send and a registration were acknowledged.
    var hasBoth: Bool { self.state.withLock { !$0.record.sends.isEmpty && $0.record.registrations > 0 } }

    var isOver: Bool { self.state.withLock { $0.isOver } }

    /// Directs the callers to another process, or to none.
    func use(_ api: APIClient?) { self.state.withLock { $0.api = api } }

    func stop() { self.state.withLock { $0.isOver = true } }

    /// Sends requests until the load is stopped.
    ///
    /// - Throws: ``CommandError`` for a response that is neither a success nor temporary.
    func run() async throws {
        defer { self.stop() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.senders { group.addTask { try await self.send() } }
            for number in 0..<Self.registrars { group.addTask { try await self.register(number) } }
            try await group.waitForAll()
        }
    }

    private func send() async throws {
        while !self.isOver {
            let number = self.state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            let token = self.tokens[number % self.tokens.count].hex
            let targets = #"{"environment":"sandbox","tokens":["\#(token)"]}"#
            let body = #"{"targets":\#(targets),"payload":{"aps":{"alert":"Hello"},"number":\#(number)}}"#
            let path = "\(Self.path)/notifications\(number.isMultiple(of: 4) ? "?wait=true" : "")"
            // A call with a key is repeated until it is acknowledged. It has to be sent under one `apns-id`.
            let hasKey = number.isMultiple(of: 3)
            let headers = hasKey ? ["Idempotency-Key": "key-\(number)"] : [:]
            var response: APIResponse?
            repeat {
                response = try await self.call(.post, path, body, headers)
            } while response == nil && hasKey && !self.isOver
            guard let accepted: Accepted = try response?.decoded() else { continue }
            self.state.withLock { $0.record.sends[number] = accepted.id }
        }
    }

    /// Registers the devices of one caller in turn, each version of a device twice.
    private func register(_ caller: Int) async throws {
        let tokens = BenchNotification.tokens((caller + 1) * Self.devicesOfRegistrar).suffix(Self.devicesOfRegistrar)
        var round = 0
        while true {
            for (number, token) in tokens.enumerated() {
                guard !self.isOver else { return }
                let (device, version) = ("device-\(caller)-\(number)", round / 2)
                self.state.withLock { $0.record.attempted[device] = version }
                let body = #"{"token":"\#(token)","appVersion":"1.\#(version)"}"#
                guard try await self.call(.put, "\(Self.path)/devices/\(device)", body, [:]) != nil else { continue }
                self.state.withLock { state in
                    state.record.registered[device] = version
                    state.record.registrations += 1
                }
            }
            round += 1
        }
    }

    /// Calls the process that runs.
    ///
    /// - Returns: the response; `nil` if there is no process, no response or a temporary failure.
    private func call(
        _ method: HTTPVerb,
        _ path: String,
        _ body: String,
        _ headers: [String: String]
    ) async throws -> APIResponse? {
        do {
            if let api = self.state.withLock({ $0.api }) {
                return try await api.call(method, path, body: Data(body.utf8), headers: headers)
            }
        } catch let failure as CommandError where failure.mayPass {}
        try await Task.sleep(for: .milliseconds(5))
        return nil
    }
}
