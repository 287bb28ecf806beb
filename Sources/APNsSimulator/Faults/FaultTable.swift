// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The faults that have been injected, in that order.
///
/// The first that strikes a request is played.
struct FaultTable: Sendable {
    private(set) var faults: [ArmedFault] = []
    private var nextID = 1

    /// Whether no fault can strike.
    var isEmpty: Bool { self.faults.isEmpty }

    /// Injects a fault.
    ///
    /// Returns its identifier.
    mutating func add(_ fault: SimulatorFault) -> Int {
        defer { self.nextID += 1 }
        self.faults.append(ArmedFault(id: self.nextID, fault: fault))
        return self.nextID
    }

    /// Takes all faults away.
    mutating func removeAll() { self.faults.removeAll() }

    /// The fault that strikes this request.
    ///
    /// A spent fault is removed.
    mutating func strike(_ request: RequestHead) -> SimulatorFault? {
        for index in self.faults.indices where self.faults[index].strikes(request) {
            let fault = self.faults[index].fault
            if self.faults[index].isSpent { self.faults.remove(at: index) }
            return fault
        }
        return nil
    }
}
