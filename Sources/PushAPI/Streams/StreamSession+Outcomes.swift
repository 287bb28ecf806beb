// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore

extension StreamSession {
    /// Tells what became of lines as it becomes known.
    func tellOutcomes(_ shared: Shared) async {
        for await _ in shared.tracker.inbox.wakes {
            let batches = shared.tracker.inbox.takeAll()
            do {
                for batches in stride(from: 0, to: batches.count, by: 100).map({ batches[$0...].prefix(100) }) {
                    let outcomes = try await self.store.outcomes(of: Array(batches))
                    for batch in batches { self.tell(batch, outcomes[batch], shared) }
                }
            } catch is CancellationError {
                return
            } catch {
                // The next look, in a second at the latest, tries again.
                self.logger.warning("The outcomes of a stream could not be read", error: error)
            }
        }
    }

    private func tell(_ id: BatchID, _ outcomes: BatchOutcomes?, _ shared: Shared) {
        guard let outcomes, var batch = shared.tracker.take(id) else { return }
        let before = batch.remaining
        var told: [(index: Int, line: Int, name: ArraySlice<UInt8>, outcome: Outcome)] = []
        batch.tell(outcomes) { told.append(($0, $1, $2, $3)) }
        shared.tracker.putBack(batch)
        guard !told.isEmpty else { return }
        shared.outlet.append(answering: before - batch.remaining) { buffer, tally in
            for (index, line, name, outcome) in told {
                tally.add(outcome)
                StreamAnswer.outcome(outcome, of: line, name: name, apnsID: id.apnsID(at: index), to: &buffer)
            }
        }
    }
}
