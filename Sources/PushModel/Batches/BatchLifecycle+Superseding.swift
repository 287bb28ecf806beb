// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension BatchLifecycle {
    /// Targets that wait for their time are not to be sent to any more, since something newer takes their place.
    ///
    /// Only a batch that waits gives them up: what a worker has been handed comes to its outcome. The others keep their times.
    /// - Parameter indices: the targets.
    /// - Returns: those that were given up, in their order; they have an outcome now, which is for the caller to book. The
    ///   batch is settled when nothing else is left.
    public mutating func supersede(_ indices: Set<Int>) -> [Int] {
        let superseded = indices.filter { self.waitingTime(of: $0) != nil && $0 < self.targetCount }.sorted()
        guard let last = superseded.last, case .waiting(let until) = self.state else { return [] }
        if last >= self.cursor {
            // Those that have not had their turn are deferred until it comes, so that some of them can be left out.
            self.deferred += (self.cursor..<self.targetCount).map { Deferral(index: $0, notBefore: until) }
            self.cursor = self.targetCount
        }
        self.deferred.removeAll { indices.contains($0.index) }
        if self.cursor == self.targetCount, self.deferred.isEmpty { self.state = .settled }
        return superseded
    }
}
