// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

extension BatchRow {
    /// The failures of a batch behind a position that match, in the order of the targets.
    ///
    /// What has an outcome of its own has a row; of a batch that is final, the rest came to what the batch came to.
    /// - Parameters:
    ///   - filter: which failures.
    ///   - own: those that have a row, behind the position and in their order.
    ///   - position: behind which index to begin.
    ///   - limit: the most failures to answer.
    ///   - targets: reads the targets of the batch, if they are needed.
    /// - Returns: the failures.
    /// - Throws: what reading the targets throws.
    package func deadLetters(
        matching filter: FailureFilter,
        own: [TargetOutcome],
        after position: Int,
        limit: Int,
        targets: () throws -> TargetList
    ) throws -> [TargetOutcome] {
        let own = own.filter { outcome in outcome.outcome.map(filter.matches) ?? false }
        guard let code = self.lifecycle.remainder, filter.matches(.failed(code)) else {
            return Array(own.prefix(limit))
        }
        let left = ((position + 1)..<max(position + 1, self.lifecycle.targetCount))
            .filter { !self.lifecycle.isSettled($0) }
        guard !left.isEmpty else { return Array(own.prefix(limit)) }
        let targets = try targets()
        let rest = left.map { index in
            TargetOutcome(
                apnsID: self.id.apnsID(at: index),
                notification: self.notification,
                target: targets[index],
                outcome: .failed(code)
            )
        }
        return Array((own + rest).sorted { $0.apnsID < $1.apnsID }.prefix(limit))
    }
}
