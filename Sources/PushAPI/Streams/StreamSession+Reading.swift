// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Hummingbird
import Logging
import NIOCore
import PushModel
import PushStore

extension StreamSession {
    /// Takes lines in for as long as there is room for them.
    func read(_ body: RequestBody, _ shared: Shared) async {
        do {
            try await self.reopenLines(shared)
            var buffer = LineBuffer(maximum: self.limits.maximumLineBytes)
            var number = self.request.firstLine
            for try await part in body {
                // Once the stream has ended, what still comes is passed over.
                guard !shared.intake.isStopped else { continue }
                buffer.append(part)
                while await self.room(shared), let line = buffer.next() {
                    self.take(line, number, of: buffer, shared)
                    number += 1
                }
            }
            if await self.room(shared), let rest = buffer.finish() { self.take(rest, number, of: buffer, shared) }
            shared.intake.end()
        } catch let error as StoreError {
            let end = StreamEnd.problem(Problem(error))
            shared.intake.stop(end)
            shared.outlet.end(end)
        } catch {
            shared.outlet.fail(error)
        }
    }

    private func take(_ line: LineBuffer.Line, _ number: Int, of buffer: LineBuffer, _ shared: Shared) {
        guard number > self.accepted else { return }
        shared.outlet.openLine()
        shared.intake.add(line, in: buffer.bytes)
    }

    /// Waits until another line may be read.
    ///
    /// - Returns: `false` when none is to be read any more.
    private func room(_ shared: Shared) async -> Bool {
        while !shared.intake.isStopped {
            if shared.intake.hasRoom, shared.outlet.hasRoom { return true }
            var room = shared.outlet.room.makeAsyncIterator()
            guard await room.next() != nil else { return false }
        }
        return false
    }

    // MARK: Earlier lines

    /// Tells the outcomes again that the client has asked for, and those that come yet.
    private func reopenLines(_ shared: Shared) async throws {
        guard let stream = self.request.stream, var told = self.request.outcomesAfter else { return }
        while told < self.accepted, await self.room(shared) {
            let chunks = try await self.store.chunks(of: stream, app: self.app.id, after: told, limit: 1)
            guard let chunk = chunks.first, let lines = StreamLineList(encoded: chunk.entries) else { return }
            self.refuseAgain(lines, firstLine: chunk.lines.lowerBound, told: told, shared.outlet)
            if let notification = chunk.notification, let status = try await self.store.notification(notification) {
                let batches = TrackedBatch.batches(
                    status.batches.map(\.id),
                    lines: lines,
                    firstLine: chunk.lines.lowerBound,
                    told: told
                )
                shared.outlet.reopen(batches.reduce(0) { $0 + $1.remaining })
                shared.tracker.add(batches)
            }
            told = chunk.lines.upperBound - 1
        }
    }

    private func refuseAgain(_ lines: StreamLineList, firstLine: Int, told: Int, _ outlet: StreamOutlet) {
        let count = lines.enumerated().count { place, line in
            if case .refused = line.fate { firstLine + place > told } else { false }
        }
        guard count > 0 else { return }
        // They are open until the client has taken them, like any line: refusals must not fill the memory, either.
        outlet.reopen(count)
        outlet.append(answering: count) { buffer, tally in
            for (place, line) in lines.enumerated() where firstLine + place > told {
                guard case .refused(let refusal) = line.fate else { continue }
                StreamAnswer.refused(firstLine + place, name: line.name, refusal: refusal, to: &buffer)
            }
            tally.pending -= count
        }
    }
}
