// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird
import Logging
import PushModel
import PushStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One stream on one connection, from its first line to its last.
///
/// Four tasks work on it side by side: one reads lines, one stores what was gathered of them, one finds out what became
/// of what is stored, and one writes the answers. Between them stand the intake and the outlet, both bounded: when the
/// client takes no answers, lines stay open, and with too many open lines nothing is read.
struct StreamSession: Sendable {
    /// The place that it takes among the server's streams.
    let slot: StreamSlots.Slot

    let app: App
    let request: StreamRequest

    /// How many lines of the stream were accepted on earlier connections.
    let accepted: Int

    let store: any PushStore
    let signals: BatchSignals
    let limits: StreamLimits
    let metrics: AcceptanceMetrics

    /// Says why the stream may not go on; `nil` while it may.
    ///
    /// Asked at each look, not for each line.
    let refusal: @Sendable () async -> Problem?

    /// How often there is a look at the outcomes without a signal, and at the key.
    let recheckInterval: Duration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger

    /// What the tasks share.
    struct Shared: Sendable {
        let intake: StreamIntake
        let outlet: StreamOutlet
        let tracker: OutcomeTracker
    }

    /// The client did not end its request after the server had ended the stream.
    struct NotEnded: Error {}

    /// Serves the stream.
    ///
    /// - Throws: what breaks the connection; then nobody is left to be answered.
    func run(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
        let shared = Shared(
            intake: StreamIntake(app: self.app, firstLine: self.accepted + 1, limits: self.limits),
            outlet: StreamOutlet(limit: self.limits.maximumOpenLines),
            tracker: OutcomeTracker(signals: self.signals)
        )
        defer { shared.tracker.forgetAll() }
        if self.request.stream != nil {
            shared.outlet.append { buffer, _ in StreamAnswer.resumed(self.accepted, to: &buffer) }
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
            // What the client still sends is passed over, so that it gets to read the last line.
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

    private static func write(_ outlet: StreamOutlet, _ writer: inout any ResponseBodyWriter) async throws {
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

    private static func stop(_ end: StreamEnd, _ shared: Shared) {
        // What was gathered is stored first, and that ends the stream.
        if !shared.intake.stop(end) { shared.outlet.end(end) }
        shared.outlet.signalRoom()
    }

    private func recheck(_ shared: Shared) async {
        while (try? await self.clock.sleep(for: self.recheckInterval)) != nil {
            shared.tracker.lookAtAll()
            guard let problem = await self.refusal() else { continue }
            self.logger.info(
                "A stream has ended: \(problem.detail)",
                metadata: ["problem.code": "\(problem.code.rawValue)"]
            )
            return Self.stop(.problem(problem), shared)
        }
    }
}
