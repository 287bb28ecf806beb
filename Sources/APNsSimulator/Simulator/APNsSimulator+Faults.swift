// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Faults and figures, from Swift.
extension APNsSimulator {
    /// Lets something go wrong from now on.
    ///
    /// - Returns: the fault's identifier.
    @discardableResult
    public func inject(_ fault: SimulatorFault) -> Int {
        let now = self.core.now
        defer { self.core.connections.server?.noteFaults() }
        return self.core.withWorld { $0.faults.add(fault, now: now).id }
    }

    /// Lets what a script says go wrong from now on.
    ///
    /// - Returns: the faults, armed, in the order of the steps.
    @discardableResult
    public func inject(_ script: FaultScript) -> [ArmedFault] {
        let now = self.core.now
        defer { self.core.connections.server?.noteFaults() }
        return self.core.withWorld { world in
            script.seededSteps.map { world.faults.add($0, script: script.name, now: now) }
        }
    }

    /// The faults that can still strike or hold answers back, in the order of their injection.
    public var faults: [ArmedFault] {
        let now = self.core.now
        return self.core.withWorld { $0.faults.faults(now: now) }
    }

    /// Takes one fault away; answers that it holds back are given.
    ///
    /// - Returns: whether it could still strike or held answers back.
    @discardableResult
    public func removeFault(_ id: Int) -> Bool {
        defer { self.noteRemoval() }
        return self.core.withWorld { $0.faults.remove(id) }
    }

    /// Takes all faults away; answers that they hold back are given.
    public func clearFaults() {
        self.core.withWorld { $0.faults.removeAll() }
        self.noteRemoval()
    }

    /// Faults were taken away: what they kept from happening happens.
    func noteRemoval() {
        self.core.connections.answerReleased()
        self.core.connections.server?.noteFaults()
    }

    /// Opens or closes the provider port as the faults want it now.
    ///
    /// It happens within some milliseconds by itself while the simulator runs; this waits for it.
    public func followFaults() async {
        await self.core.connections.server?.followFaults()
    }

    /// What has happened so far.
    public var statistics: SimulatorStatistics { self.core.statistics }
}
