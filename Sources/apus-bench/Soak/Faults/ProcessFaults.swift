// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import SQLite

/// Injects the faults of the machine: processes that are killed or suspended, and a store that is unavailable.
struct ProcessFaults: Sendable {
    let fleet: SoakProcesses
    let store: SoakStore
    let record: SoakLog

    /// Begins a fault, holds it for its time, and takes it back.
    ///
    /// - Throws: ``CommandError`` when it cannot be played.
    func play(_ fault: SoakFault) async throws {
        let time = Duration.milliseconds(fault.milliseconds)
        switch fault.kind {
        case .killedDeliverer: await self.kill(.deliver, fault)
        case .killedPlanner: await self.kill(.schedule, fault)
        case .killedAPI: await self.kill(.serve, fault)
        case .stoppedDeliverer:
            let all = self.fleet.processes(.deliver)
            let process = all[fault.victim % all.count]
            guard let stopped = process.standStill() else { return self.record.say("\(process.name) is not up") }
            self.record.say("\(process.name) suspended")
            try? await Task.sleep(for: time)
            ProcessSignals.goOn(stopped)
        case .lockedStore: try await self.store.lock(for: time)
        case .restartedStore: try await self.store.restart()
        case .cutConnections: try await self.store.cutConnections()
        default: break
        }
    }

    /// The first process of a role is spared where there are others, so that one of each has a long life.
    private func kill(_ role: SoakProcess.Role, _ fault: SoakFault) async {
        let all = self.fleet.processes(role)
        let process = all.count > 1 ? all[1 + fault.victim % (all.count - 1)] : all[0]
        // Usually it is restarted immediately, as a supervisor does.
        let downtime = fault.victim.isMultiple(of: 3) ? fault.milliseconds : fault.milliseconds / 10
        guard process.kill(downtime: .milliseconds(downtime)) else {
            return self.record.say("\(process.name) is not up")
        }
        self.record.say("\(process.name) is killed")
        try? await Task.sleep(for: .milliseconds(downtime))
    }
}

/// The store of a soak, and its faults.
struct SoakStore: Sendable {
    let place: BenchStore

    /// The server that has it as a database; `nil` for a file.
    let server: DatabaseServer?

    let database: String

    /// The shell command that restarts the server.
    let restartCommand: String?

    /// Creates the database, if the store is one.
    ///
    /// - Throws: ``CommandError`` if the server or `psql` does not exist.
    static func make(_ configuration: SoakConfiguration, in directory: String) async throws -> SoakStore {
        let server = configuration.storeURL.map { DatabaseServer(url: $0, log: "\(directory)/psql.log") }
        let name = "soak-\(UUID().uuidString.lowercased())"
        try await server?.create(name)
        return SoakStore(
            place: BenchStore(data: "\(directory)/data", url: server?.url(of: name)),
            server: server,
            database: name,
            restartCommand: configuration.storeRestart
        )
    }

    /// Removes the database, where the store is one.
    func remove() async {
        try? await self.server?.drop(self.database)
    }

    /// Locks the file against other writers for a while.
    func lock(for time: Duration) async throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(30)
        let queue = DatabaseQueue(path: LocalStore.path(in: self.place.data), configuration: configuration)
        try await queue.perform { try $0.execute("BEGIN IMMEDIATE") }
        try? await Task.sleep(for: time)
        try await queue.perform { try $0.execute("ROLLBACK") }
        queue.close()
    }

    /// Ends the database server as a crash would, and starts it again.
    func restart() async throws {
        guard let restartCommand, let server else { return }
        _ = try await ExternalTool.run("/bin/sh", ["-c", restartCommand], log: server.log)
    }

    func cutConnections() async throws {
        try await self.server?.cutConnections(to: self.database)
    }
}
