// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Faults and figures, from Swift.
extension APNsSimulator {
    /// Lets something go wrong from now on.
    ///
    /// - Returns: the fault's identifier.
    @discardableResult
    public func inject(_ fault: SimulatorFault) -> Int {
        self.core.withWorld { $0.faults.add(fault) }
    }

    /// The faults that can still strike, in the order of their injection.
    public var faults: [ArmedFault] { self.core.withWorld { $0.faults.faults } }

    /// Takes all faults away.
    public func clearFaults() {
        self.core.withWorld { $0.faults.removeAll() }
    }

    /// What has happened so far.
    public var statistics: SimulatorStatistics { self.core.statistics }
}
