// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import Logging
import StoreTesting
import Synchronization
import Testing

@testable import apus

/// A server whose processes end when they begin to process one item, a simulator, and a receiver of webhooks.
struct PoisonPlace: Sendable {
    /// The most processes that are started while an item ends them.
    private static let mostProcesses = 6

    /// The leases last an hour, so that an item that is claimed again shows that the crash was detected.
    private static let environment = [
        "APUS_DELIVERY_LEASE_DURATION_SECONDS": "3600", "APUS_SCHEDULING_LEASE_DURATION_SECONDS": "3600",
        "SWIFT_BACKTRACE": "enable=no",
    ]
    private static let arguments = ["--webhooks-allow-private-networks", "true", "--webhooks-allow-http", "true"]

    let server: ServerInTest

    /// The URL of a receiver that accepts every request.
    let receiver: String
    let posts: Posts

    var simulator: APNsSimulator { self.server.simulator }

    static func open(on store: TestStoreBackend, _ body: (PoisonPlace) async throws -> Void) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await ScriptedServer.with(["/": "{}"]) { receiver in
            let posts = Posts()
            // Ends with the process of the receiver.
            Task { await posts.record(from: receiver) }
            try await withAPNsSimulator(logger: silent) { simulator in
                switch store {
                case .sqlite: try await self.run(receiver, simulator, posts, storeURL: nil, body)
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        try await self.run(receiver, simulator, posts, storeURL: database.url, body)
                    }
                }
            }
        }
    }

    private static func run(
        _ receiver: ScriptedServer,
        _ simulator: APNsSimulator,
        _ posts: Posts,
        storeURL: String?,
        _ body: (PoisonPlace) async throws -> Void
    ) async throws {
        let server = try await ServerInTest(in: receiver.directory, simulator: simulator, storeURL: storeURL)
        try await body(PoisonPlace(server: server, receiver: receiver.url, posts: posts))
    }

    /// Starts a process that claims no work.
    func startIdle() async throws -> ServerInTest.Running {
        try await self.server.start(
            with: "none",
            arguments: Self.arguments + ["--webhooks-enabled", "false", "--sns-enabled", "false"]
        )
    }

    /// Starts a process that does all kinds of work, and traps on the item `trap`.
    func start(trap: String? = nil) async throws -> ServerInTest.Running {
        var environment = Self.environment
        environment["APUS_DEBUG_TRAP"] = trap
        return try await self.server.start(
            with: "delivery,scheduling",
            environment: environment,
            arguments: Self.arguments
        )
    }

    /// Starts a process again whenever it ends, until the condition holds.
    ///
    /// - Throws: ``CommandError`` if too many processes end.
    /// - Returns: the process in which it holds, and the ends of the logs of those that ended before.
    func supervise(
        trap: String,
        until condition: (ServerInTest.Running) async throws -> Bool
    ) async throws -> (running: ServerInTest.Running, deaths: [String]) {
        var deaths: [String] = []
        while deaths.count < Self.mostProcesses {
            let running: ServerInTest.Running
            do {
                running = try await self.start(trap: trap)
            } catch let failure as CommandError where failure.code == "not_ready" {
                deaths.append(failure.message)
                continue
            }
            do {
                try await self.wait(with: running) { try await condition(running) }
                return (running, deaths)
            } catch let failure as CommandError where failure.code == "unreachable" {
                deaths.append("\(failure.message)\n\(running.process.logEnd)")
            } catch {
                await running.kill()
                throw error
            }
        }
        let expected = "expected that \(trap) is quarantined after 3 of them and its neighbor is processed"
        let message = "\(Self.mostProcesses) processes ended; \(expected). The log:\n\(deaths.last ?? "")"
        throw CommandError("not_quarantined", message)
    }

    /// Waits for a condition, until the process ends; if the test runs out of time, it shows the end of the log.
    func wait(with running: ServerInTest.Running, until condition: () async throws -> Bool) async throws {
        do {
            try await waitUntil {
                do {
                    return try await condition()
                } catch let failure as CommandError where failure.code == "unreachable" {
                    // On a busy machine, a process that has not ended may not answer in time.
                    guard await running.process.exitStatus(within: .seconds(5)) == nil else { throw failure }
                    return false
                }
            }
        } catch let error where Task.isCancelled {
            Issue.record("The wait was cancelled. The end of the log:\n\(running.process.logEnd)")
            throw error
        }
    }

    func quarantined(_ running: ServerInTest.Running) async throws -> [QuarantinedItemAnswer] {
        try await running.api.call(.get, "/v1/quarantine").decoded(as: APIPage<QuarantinedItemAnswer>.self).elements
    }
}

/// The paths of the requests that a receiver got.
final class Posts: Sendable {
    private let paths = Mutex<Set<String>>([])

    func record(from receiver: ScriptedServer) async {
        while let path = await receiver.nextPath() { self.paths.withLock { _ = $0.insert(path) } }
    }

    func contain(_ path: String) -> Bool { self.paths.withLock { $0.contains(path) } }
}
