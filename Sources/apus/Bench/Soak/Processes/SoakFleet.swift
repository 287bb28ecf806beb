// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import Synchronization

/// All processes of a server: those that answer requests, those that send and those that plan.
struct SoakFleet: Sendable {
    /// How many processes answer requests, and how many plan: one that is killed, and one that lives on.
    private static let fronts = 2
    private static let planners = 2

    let all: [SoakProcess]

    /// The key of the API.
    let key: String

    /// - Parameters:
    ///   - configuration: how many processes there are.
    ///   - store: what they work on.
    ///   - simulator: what they send to.
    ///   - key: a key of the API.
    ///   - directory: where their logs are put.
    ///   - record: told of their ends.
    /// - Throws: what the system says when the simulator's authority cannot be written to a file.
    init(
        _ configuration: SoakConfiguration,
        store: BenchStore,
        simulator: APNsSimulator,
        key: String,
        directory: String,
        record: SoakRecord
    ) throws {
        let authority = "\(directory)/ca.pem"
        try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: authority))
        let place = [
            "--data", store.data, "--json", "--until-input-ends", "--apns-sandbox-host", "localhost",
            "--apns-sandbox-port", "\(simulator.port)", "--apns-sandbox-ca", authority, "--log-level", "notice",
            "--delivery-lease-seconds", "\(SoakConfiguration.leaseSeconds)",
            "--scheduling-lease-seconds", "\(SoakConfiguration.leaseSeconds)",
        ]
        // Beside a file the first process makes it.
        if store.url != nil { try MasterKeyFile.make(in: store.data) }
        func processes(_ role: SoakProcess.Role, _ count: Int, _ arguments: [String]) -> [SoakProcess] {
            (1...count).map { number in
                SoakProcess(
                    role,
                    number: number,
                    executable: OwnExecutable.path,
                    arguments: place + arguments,
                    environment: store.url.map { [ConfigurationKey.storeURL.variable: $0] } ?? [:],
                    directory: directory,
                    record: record
                )
            }
        }
        self.key = key
        self.all =
            processes(.serve, Self.fronts, ["--port", "0", "--with", "none", "--wait-seconds", "5"])
            + processes(
                .deliver,
                configuration.workers,
                [
                    "--delivery-window", "\(configuration.window)", "--delivery-slice-targets",
                    "\(configuration.slice)",
                ]
            )
            + processes(.schedule, Self.planners, [])
    }

    /// The processes of a role.
    func processes(_ role: SoakProcess.Role) -> [SoakProcess] { self.all.filter { $0.role == role } }

    /// Where requests are answered just now.
    var urls: [String] { self.processes(.serve).compactMap(\.url) }

    /// Waits until every process is up.
    func allUp(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while self.all.contains(where: { $0.standing == nil }) {
            guard ContinuousClock.now < deadline, (try? await Task.sleep(for: .milliseconds(100))) != nil else {
                return false
            }
        }
        return true
    }

    /// Stops all, those that accept first.
    func stop() async {
        for process in self.all { await process.stop() }
    }
}
