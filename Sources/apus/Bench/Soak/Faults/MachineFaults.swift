// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Plays the faults of the machine: processes that die or stand still, a store that is away.
struct MachineFaults: Sendable {
    let fleet: SoakFleet
    let store: SoakStore
    let record: SoakRecord

    /// Begins a fault, holds it for its time, and takes it back.
    ///
    /// - Throws: ``CommandFailure`` when it cannot be played.
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
            self.record.say("\(process.name) stands still")
            try? await Task.sleep(for: time)
            Signals.goOn(stopped)
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
        // For the most part it is started again at once, as whoever watches over processes does.
        let downtime = fault.victim.isMultiple(of: 3) ? fault.milliseconds : fault.milliseconds / 10
        guard process.kill(downtime: .milliseconds(downtime)) else {
            return self.record.say("\(process.name) is not up")
        }
        self.record.say("\(process.name) is killed")
        try? await Task.sleep(for: .milliseconds(downtime))
    }
}
