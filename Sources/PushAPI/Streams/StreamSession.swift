// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Hummingbird
import Logging
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle
import Work

/// One stream on one connection, from its first line to its last.
///
/// Four concurrent tasks work on it: one reads lines, one stores the parsed lines, one reads the outcomes of stored
/// lines, and one writes the response lines. Between them are the intake and the outlet, both bounded: if the client
/// does not read response lines, lines stay open, and with too many open lines nothing is read.
struct StreamSession: Sendable {
    /// The place that it takes among the server's streams.
    let share: CallShares.Share

    /// The memory of its lines and response lines.
    let memory: BodyMemory.Share

    let app: App
    let request: StreamRequest

    /// How many lines of the stream were accepted on earlier connections.
    let accepted: Int

    let store: any NotificationStore & StreamStore
    let signals: ChangeHub<BatchID>
    let limits: StreamLimits
    let metrics: AcceptanceMetrics

    /// Returns why the stream must end; `nil` while it may continue.
    ///
    /// It is called at each poll, not for each line.
    let refusal: @Sendable () async -> Problem?

    /// How often there is a look at the outcomes without a signal, and at the key.
    let recheckInterval: Duration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    /// The shared state of the tasks.
    struct Shared: Sendable {
        let intake: StreamInputBuffer
        let outlet: StreamOutputBuffer
        let tracker: OutcomeTracker
    }

    /// The client did not end its request after the server had ended the stream.
    struct NotEnded: Error {}

    /// Serves the stream.
    ///
    /// - Throws: the error of a broken connection, to which no response is possible.
    func run(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
        let shared = Shared(
            intake: StreamInputBuffer(
                app: self.app,
                firstLine: self.accepted + 1,
                limits: self.limits,
                memory: self.memory
            ),
            outlet: StreamOutputBuffer(limit: self.limits.maximumOpenLines, memory: self.memory),
            tracker: OutcomeTracker(signals: self.signals)
        )
        defer { shared.tracker.forgetAll() }
        if self.request.stream != nil {
            shared.outlet.append { buffer, _ in StreamResponseWriter.resumed(self.accepted, to: &buffer) }
        }
        let (readerEnd, readerEnded) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                await self.read(body, shared)
                readerEnded.yield()
            }
            group.addTask { await self.storeChunks(shared) }
            group.addTask { await self.tellOutcomes(shared) }
            group.addTask { await self.recheck(shared) }
            group.addTask { await self.stopOnShutdown(shared) }
            try await Self.write(shared.outlet, &writer)
            try await writer.finish(nil)
            // Read and discard further input, so that the client reads the last line.
            group.addTask {
                try? await self.clock.sleep(for: self.limits.closingTime)
                readerEnded.finish()
            }
            var hasEnded = false
            for await _ in readerEnd {
                hasEnded = true
                break
            }
            if !hasEnded { throw NotEnded() }
        }
    }

    private static func write(_ outlet: StreamOutputBuffer, _ writer: inout any ResponseBodyWriter) async throws {
        while true {
            switch outlet.next() {
            case .write(let buffer, let answered):
                try await writer.write(buffer)
                outlet.wrote(answered: answered)
            case .wait:
                var wakes = outlet.wakes.makeAsyncIterator()
                guard await wakes.next() != nil else { throw CancellationError() }
            case .finish: return
            case .fail(let error): throw error
            }
        }
    }

    private func stopOnShutdown(_ shared: Shared) async {
        guard (try? await gracefulShutdown()) != nil else { return }
        Self.stop(.shuttingDown, shared)
    }

    private static func stop(_ end: StreamEndReason, _ shared: Shared) {
        // Store the parsed lines first; that ends the stream.
        if !shared.intake.stop(end) { shared.outlet.end(end) }
        shared.outlet.signalRoom()
    }

    private func recheck(_ shared: Shared) async {
        while (try? await self.clock.sleep(for: self.recheckInterval)) != nil {
            shared.tracker.lookAtAll()
            guard let problem = await self.refusal() else { continue }
            self.logger.info(
                "Stream ended: \(problem.detail)",
                metadata: ["problem.code": "\(problem.code.rawValue)"]
            )
            return Self.stop(.problem(problem), shared)
        }
    }
}

extension StreamSession {
    /// Takes lines in for as long as there is room for them.
    func read(_ body: RequestBody, _ shared: Shared) async {
        do {
            try await self.reopenLines(shared)
            var buffer = LineBuffer(maximum: self.limits.maximumLineBytes)
            var number = self.request.firstLine
            for try await part in body {
                // After the end of the stream, discard further input.
                guard !shared.intake.isStopped else { continue }
                buffer.append(part)
                while await self.room(shared), let line = buffer.next() {
                    await self.take(line, number, of: buffer, shared)
                    number += 1
                }
            }
            if await self.room(shared), let rest = buffer.finish() { await self.take(rest, number, of: buffer, shared) }
            shared.intake.end()
        } catch let error as StoreError {
            let end = StreamEndReason.problem(Problem(error))
            shared.intake.stop(end)
            shared.outlet.end(end)
        } catch {
            shared.outlet.fail(error)
        }
    }

    private func take(_ line: LineBuffer.Line, _ number: Int, of buffer: LineBuffer, _ shared: Shared) async {
        guard number > self.accepted else { return }
        // Lines that wait for the store give their memory back when they are stored.
        while !shared.intake.reserve(line) {
            guard shared.intake.hasLines else {
                shared.intake.stop(.problem(Problem(.serverBusy, ProblemCode.serverBusy.entry.meaning)))
                return
            }
            var room = shared.outlet.room.makeAsyncIterator()
            guard await room.next() != nil, !shared.intake.isStopped else { return }
        }
        shared.outlet.openLine()
        shared.intake.add(line, in: buffer.bytes)
    }

    /// Waits until another line may be read.
    ///
    /// - Returns: `false` if none is to be read.
    private func room(_ shared: Shared) async -> Bool {
        while !shared.intake.isStopped {
            if shared.intake.hasRoom, shared.outlet.hasRoom { return true }
            var room = shared.outlet.room.makeAsyncIterator()
            guard await room.next() != nil else { return false }
        }
        return false
    }

    // MARK: Earlier lines

    /// Reports outcomes again that the client has requested, and later ones.
    private func reopenLines(_ shared: Shared) async throws {
        guard let stream = self.request.stream, var told = self.request.outcomesAfter else { return }
        while told < self.accepted, await self.room(shared) {
            let chunks = try await self.store.chunks(of: stream, app: self.app.id, after: told, limit: 1)
            guard let chunk = chunks.first, let lines = StreamLineList(encoded: chunk.entries),
                chunk.lines.lowerBound > 0, lines.count == chunk.lines.count
            else { return }
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

    private func refuseAgain(_ lines: StreamLineList, firstLine: Int, told: Int, _ outlet: StreamOutputBuffer) {
        let count = lines.enumerated().count { place, line in
            if case .refused = line.fate { firstLine + place > told } else { false }
        }
        guard count > 0 else { return }
        // They are open until the client has taken them, like any line: refusals must not fill the memory, either.
        outlet.reopen(count)
        outlet.append(answering: count) { buffer, tally in
            for (place, line) in lines.enumerated() where firstLine + place > told {
                guard case .refused(let refusal) = line.fate else { continue }
                StreamResponseWriter.rejected(firstLine + place, name: line.name, problem: refusal, to: &buffer)
            }
            tally.pending -= count
        }
    }
}

extension StreamSession {
    /// Stores the parsed lines chunk by chunk, and then waits for the outcomes with a timeout.
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
                    let isStored = await self.store(chunk, shared)
                    shared.intake.stored(chunk)
                    shared.outlet.signalRoom()
                    guard isStored else { return false }
                }
            }
            return true
        }
    }

    /// Stores a chunk and acknowledges it.
    ///
    /// - Returns: whether the stream can continue.
    private func store(_ chunk: PendingStreamChunk, _ shared: Shared) async -> Bool {
        do {
            let batches = try await self.accept(chunk)
            self.acknowledge(chunk, shared.outlet)
            // After the acknowledgement, so that no outcome is reported before it.
            shared.tracker.add(
                TrackedBatch.batches(batches, lines: chunk.lines, firstLine: chunk.firstLine)
            )
            return true
        } catch {
            let end = StreamEndReason.problem(self.problem(for: error))
            shared.intake.stop(end)
            shared.outlet.end(end)
            return false
        }
    }

    private func accept(_ chunk: PendingStreamChunk) async throws -> [BatchID] {
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        guard !chunk.groups.isEmpty else {
            if let note = self.note(chunk, notification: nil, now: now) { try await self.store.append(note) }
            return []
        }
        let plan = BatchedNotification(app: self.app.id, parts: chunk.groups.parts(lane: .urgent, now: now), now: now)
        let note = self.note(chunk, notification: plan.notification.id, now: now)
        try await self.metrics.accept(plan, noting: note.map(AcceptanceAttachment.chunk), in: self.store)
        return plan.batches.map(\.id)
    }

    /// Returns the record of a chunk, with which the stream can be resumed; `nil` for a stream without a name.
    private func note(_ chunk: PendingStreamChunk, notification: NotificationID?, now: Date) -> StreamChunk? {
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

    private func acknowledge(_ chunk: PendingStreamChunk, _ outlet: StreamOutputBuffer) {
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
            tally.rejectedLines += refused.count
            StreamResponseWriter.accepted(through: chunk.numbers.upperBound - 1, to: &buffer)
            for (line, name, refusal) in refused {
                StreamResponseWriter.rejected(line, name: name, problem: refusal, to: &buffer)
            }
        }
    }

    private func problem(for error: any Error) -> Problem {
        let problem: Problem
        switch error {
        case let error as StoreError where error.code == .conflict:
            problem = Problem(.streamInUse, ProblemCode.streamInUse.entry.meaning, cause: error)
        case let error as StoreError: problem = Problem(error)
        default: problem = Problem(.internalError, ProblemCode.internalError.entry.meaning, cause: error)
        }
        self.logger.log(
            level: problem.code.entry.status >= 500 ? .error : .info,
            "Stream ended: \(problem.detail)",
            error: error,
            metadata: ["problem.code": "\(problem.code.rawValue)"]
        )
        return problem
    }
}

extension StreamSession {
    /// Reports the outcomes of lines as they become known.
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
                // The next poll, within one second, retries.
                self.logger.warning("Failed to read the outcomes of a stream; retrying", error: error)
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
                StreamResponseWriter.outcome(outcome, of: line, name: name, apnsID: id.apnsID(at: index), to: &buffer)
            }
        }
    }
}
