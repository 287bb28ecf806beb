// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Synchronization

/// All processes of a server: API, delivery and scheduling.
struct SoakProcesses: Sendable {
    /// The number of API processes, and of scheduling processes: one can be killed while the other runs.
    private static let fronts = 2
    private static let planners = 2

    let all: [SoakProcess]

    /// The key of the API.
    let key: String

    /// - Throws: the error if the simulator's authority cannot be written to a file.
    init(
        _ configuration: SoakConfiguration,
        store: BenchStore,
        simulator: APNsSimulator,
        key: String,
        directory: String,
        record: SoakLog
    ) throws {
        let authority = "\(directory)/ca.pem"
        try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: authority))
        let place = [
            "--data", store.data, "--json", "--exit-on-stdin-close", "--apns-sandbox-host", "localhost",
            "--apns-sandbox-port", "\(simulator.port)", "--apns-sandbox-ca", authority, "--log-level", "notice",
            "--delivery-lease-duration-seconds", "\(SoakConfiguration.leaseSeconds)",
            "--scheduling-lease-duration-seconds", "\(SoakConfiguration.leaseSeconds)",
        ]
        // With a file as store, the first process creates it.
        if store.url != nil { try MasterKeyFile.make(in: store.data) }
        let executable = try ApusExecutable.path()
        func processes(_ role: SoakProcess.Role, _ count: Int, _ arguments: [String]) -> [SoakProcess] {
            (1...count).map { number in
                SoakProcess(
                    role,
                    number: number,
                    executable: executable,
                    arguments: place + arguments,
                    environment: ServerStore.environment(url: store.url),
                    directory: directory,
                    record: record
                )
            }
        }
        self.key = key
        self.all =
            processes(.serve, Self.fronts, ["--port", "0", "--with", "none", "--wait-timeout-seconds", "5"])
            + processes(
                .deliver,
                configuration.workers,
                [
                    "--delivery-max-in-flight", "\(configuration.window)", "--delivery-chunk-size",
                    "\(configuration.slice)",
                ]
            )
            + processes(.schedule, Self.planners, [])
    }

    func processes(_ role: SoakProcess.Role) -> [SoakProcess] { self.all.filter { $0.role == role } }

    /// The URLs of the running API processes.
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

/// A server process that is restarted whenever it ends, until it is stopped.
final class SoakProcess: Sendable {
    /// Which command it runs.
    enum Role: String, Sendable {
        case serve, deliver, schedule
    }

    private struct State {
        /// The process, once it is up.
        var child: ChildProcess?
        /// The process until then.
        var starting: ChildProcess?
        var url: String?
        var life = 0
        /// The delay of the restart after a kill; `nil` if it was not killed.
        var downtime: Duration?
        var isStopping = false
    }

    let role: Role
    let name: String
    private let executable: String
    private let arguments: [String]
    private let environment: [String: String]
    private let log: String
    private let record: SoakLog
    private let state = Mutex(State())

    init(
        _ role: Role,
        number: Int,
        executable: String,
        arguments: [String],
        environment: [String: String],
        directory: String,
        record: SoakLog
    ) {
        self.role = role
        self.name = "\(role.rawValue)-\(number)"
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.log = "\(directory)/\(role.rawValue)-\(number).log"
        self.record = record
    }

    /// The API's address; `nil` while it is not up, and for workers.
    var url: String? { self.state.withLock(\.url) }

    /// Which life it has, from 1, and its number; `nil` while it is not up.
    var standing: (life: Int, processID: Int32)? {
        self.state.withLock { state in state.child.map { (state.life, $0.processID) } }
    }

    /// Keeps it running until ``stop()``.
    func run() async {
        while !self.state.withLock(\.isStopping), !Task.isCancelled {
            let child: ChildProcess
            do {
                child = try await self.launch()
            } catch {
                // The store may be unavailable; retry as a supervisor does.
                self.record.say("\(self.name) did not start: \("\(error)".split(separator: "\n").last ?? "")")
                try? await Task.sleep(for: .seconds(1))
                continue
            }
            let status = await child.exitStatus()
            let (downtime, isStopping) = self.state.withLock { state in
                defer { (state.child, state.url, state.downtime) = (nil, nil, nil) }
                return (state.downtime, state.isStopping)
            }
            if isStopping { return }
            if downtime == nil {
                self.record.breach("\(self.name) ended unexpectedly with status \(status): \(child.logEnd)")
            }
            self.record.change { $0.restarts += 1 }
            try? await Task.sleep(for: downtime ?? .seconds(1))
        }
    }

    private func launch() async throws -> ChildProcess {
        let child = try ChildProcess(
            executable: self.executable,
            arguments: [self.role.rawValue] + self.arguments,
            environment: self.environment,
            log: self.log
        )
        self.state.withLock { $0.starting = child }
        defer { self.state.withLock { $0.starting = nil } }
        let url: String?
        switch self.role {
        case .serve: url = try await child.ready(ServerReady.self).url
        case .deliver, .schedule:
            _ = try await child.ready(WorkerReady.self)
            url = nil
        }
        self.state.withLock { state in
            (state.child, state.url) = (child, url)
            state.life += 1
        }
        return child
    }

    /// Ends it as a power cut would.
    ///
    /// - Returns: whether it was up.
    func kill(downtime: Duration) -> Bool {
        let child = self.state.withLock { state in
            if state.child != nil { state.downtime = downtime }
            return state.child
        }
        child?.kill()
        return child != nil
    }

    /// Suspends it.
    ///
    /// - Returns: its process ID, to resume it; `nil` if it is not running.
    func standStill() -> Int32? {
        guard let child = self.state.withLock(\.child) else { return nil }
        ProcessSignals.standStill(child.processID)
        return child.processID
    }

    /// Stops it; it must exit with status 0.
    func stop() async {
        let child = self.state.withLock { state in
            state.isStopping = true
            state.starting?.kill()
            return state.child
        }
        guard let child else { return }
        let status = await child.stop()
        if status != 0 {
            self.record.breach("\(self.name) ended with status \(status) after the stop request: \(child.logEnd)")
        }
    }
}
