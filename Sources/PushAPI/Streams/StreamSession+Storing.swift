// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StreamSession {
    /// Stores what was gathered, chunk by chunk, and then waits for the outcomes, but not for ever.
    func storeChunks(_ shared: Shared) async {
        guard await self.storeAll(shared), !Task.isCancelled else { return }
        if let end = shared.intake.stopReason { return shared.outlet.end(end) }
        shared.outlet.inputDone()
        guard (try? await self.clock.sleep(for: self.limits.patience)) != nil else { return }
        shared.outlet.end(.outcomesPending)
    }

    /// Stores chunks until nothing more comes.
    ///
    /// - Returns: whether all of them could be stored.
    private func storeAll(_ shared: Shared) async -> Bool {
        await withDiscardingTaskGroup { timers in
            defer { timers.cancelAll() }
            for await event in shared.intake.events {
                if case .begun(let number) = event {
                    timers.addTask {
                        guard (try? await self.clock.sleep(for: self.limits.gatherTime)) != nil else { return }
                        shared.intake.due(number)
                    }
                }
                while let chunk = shared.intake.take(after: event) {
                    shared.outlet.signalRoom()
                    guard await self.store(chunk, shared) else { return false }
                }
            }
            return true
        }
    }

    /// Stores a chunk and acknowledges it.
    ///
    /// - Returns: whether the stream can be gone on with.
    private func store(_ chunk: StreamChunkDraft, _ shared: Shared) async -> Bool {
        do {
            let batches = try await self.accept(chunk)
            self.acknowledge(chunk, shared.outlet)
            // Afterwards, so that no outcome is told before the acknowledgement.
            shared.tracker.add(
                TrackedBatch.batches(batches, lines: chunk.lines, firstLine: chunk.firstLine)
            )
            return true
        } catch {
            let end = StreamEnd.problem(self.problem(for: error))
            shared.intake.stop(end)
            shared.outlet.end(end)
            return false
        }
    }

    private func accept(_ chunk: StreamChunkDraft) async throws -> [BatchID] {
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        guard !chunk.groups.isEmpty else {
            if let note = self.note(chunk, notification: nil, now: now) { try await self.store.append(note) }
            return []
        }
        let plan = NotificationPlan(app: self.app.id, parts: chunk.groups.parts(lane: .urgent, now: now), now: now)
        let note = self.note(chunk, notification: plan.notification.id, now: now)
        try await self.metrics.accept(plan, noting: note.map(AcceptanceNote.chunk), in: self.store)
        return plan.batches.map(\.id)
    }

    /// What is kept of a chunk so that the stream can be gone on with; `nil` for one without a name.
    private func note(_ chunk: StreamChunkDraft, notification: NotificationID?, now: Date) -> StreamChunk? {
        self.request.stream.map { stream in
            StreamChunk(
                stream: stream,
                app: self.app.id,
                lines: chunk.numbers,
                notification: notification,
                entries: chunk.lines.encoded,
                createdAt: now
            )
        }
    }

    private func acknowledge(_ chunk: StreamChunkDraft, _ outlet: StreamOutlet) {
        var refused: [(line: Int, name: ArraySlice<UInt8>, refusal: ArraySlice<UInt8>)] = []
        var accepted = 0
        for (place, line) in chunk.lines.enumerated() {
            switch line.fate {
            case .empty: continue
            case .accepted: accepted += 1
            case .refused(let refusal): refused.append((chunk.firstLine + place, line.name, refusal))
            }
        }
        outlet.append(answering: chunk.lines.count - accepted) { buffer, tally in
            tally.accepted += accepted
            tally.pending += accepted
            tally.refused += refused.count
            StreamAnswer.accepted(through: chunk.numbers.upperBound - 1, to: &buffer)
            for (line, name, refusal) in refused {
                StreamAnswer.refused(line, name: name, refusal: refusal, to: &buffer)
            }
        }
    }

    private func problem(for error: any Error) -> Problem {
        let problem: Problem
        switch error {
        case let error as StoreError where error.code == .conflict:
            problem = Problem(.streamTaken, ProblemCode.streamTaken.entry.meaning, cause: error)
        case let error as StoreError: problem = Problem(error)
        default: problem = Problem(.internalError, ProblemCode.internalError.entry.meaning, cause: error)
        }
        self.logger.log(
            level: problem.code.entry.status >= 500 ? .error : .info,
            "A stream has ended: \(problem.detail)",
            error: error,
            metadata: ["problem.code": "\(problem.code.rawValue)"]
        )
        return problem
    }
}
