// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension BatchLifecycle {
    /// Deferred targets are not to be sent to any more, since something newer takes their place.
    ///
    /// Only a batch that nobody sends gives them up: what a worker has been handed comes to its outcome.
    /// - Parameter indices: the targets.
    /// - Returns: what was given up, each with the time from which it might have been sent to; these have an outcome now,
    ///   which is for the caller to book. The batch is settled when nothing else is left.
    public mutating func supersede(_ indices: Set<Int>) -> [Deferral] {
        guard case .waiting = self.state else { return [] }
        let superseded = self.deferred.filter { indices.contains($0.index) }
        guard !superseded.isEmpty else { return [] }
        self.deferred.removeAll { indices.contains($0.index) }
        if self.cursor == self.targetCount, self.deferred.isEmpty { self.state = .settled }
        return superseded
    }
}
