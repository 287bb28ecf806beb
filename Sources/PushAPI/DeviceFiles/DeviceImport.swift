// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Hummingbird
import Logging
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One import of devices, from its first line to its last.
///
/// It reads, stores and answers in turn: while a transaction is under way, or the client does not take an answer, no more
/// is read. So neither a fast client nor a long file fills the memory.
struct DeviceImport: Sendable {
    let app: App
    let format: DeviceFileFormat

    /// Whether lines are only checked.
    let isDryRun: Bool

    let store: any DeviceStore

    /// How many bytes a line may have.
    let lineLimit: Int

    /// Counts the seconds after which what came by then is stored.
    let clock: any Clock<Duration>

    let now: @Sendable () -> Date
    let logger: Logger

    /// Says why the import may not go on; `nil` while it may.
    ///
    /// Asked each second, not for each line.
    let refusal: @Sendable () async -> Problem?

    /// The client did not end its request after the server had ended the import.
    struct NotEnded: Error {}

    /// What one import keeps in mind.
    private struct Progress {
        var draft: ImportDraft
        var tally = ImportTally()
        var told = ImportTally()
        var toldAt: Date
    }

    /// Carries it out.
    ///
    /// - Throws: what breaks the connection; then nobody is left to be answered. What was stored by then stays.
    func run(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
        let events = ImportEvents()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await events.read(body) }
            group.addTask { await events.count(every: ImportLimits.interval, of: self.clock) }
            try await self.carryOut(events, &writer)
        }
    }

    private func carryOut(_ events: ImportEvents, _ writer: inout any ResponseBodyWriter) async throws {
        let draft = ImportDraft(app: self.app, format: self.format, lineLimit: self.lineLimit)
        var progress = Progress(draft: draft, toldAt: self.now())
        var lines = LineBuffer(maximum: self.lineLimit, quotation: self.format == .csv)
        do {
            reading: while true {
                let event = try await events.next()
                guard !Task.isShuttingDownGracefully else {
                    try await self.store(&progress, &writer)
                    throw Problem(.shuttingDown, ProblemCode.shuttingDown.entry.meaning)
                }
                switch event {
                case .part(let part):
                    lines.append(part)
                    while let line = lines.next() { try await self.take(line, of: lines.bytes, &progress, &writer) }
                case .tick:
                    if let problem = await self.refusal() { throw problem }
                    try await self.store(&progress, &writer)
                case .end, .failure: break reading
                }
            }
            while let line = lines.finish() { try await self.take(line, of: lines.bytes, &progress, &writer) }
            try await self.store(&progress, &writer)
            try progress.draft.finish()
        } catch let problem as Problem {
            try await self.end(progress, problem, &writer)
            return try await self.passOver(events)
        } catch let error as StoreError {
            self.logger.error("An import of devices has ended", error: error)
            try await self.end(progress, Problem(error), &writer)
            return try await self.passOver(events)
        }
        try await self.end(progress, nil, &writer)
    }

    private func take(
        _ line: LineBuffer.Line,
        of bytes: [UInt8],
        _ progress: inout Progress,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        try progress.draft.read(line, of: bytes, now: self.now())
        // Lines that are refused fill no transaction: they are told of all the same.
        if progress.draft.isFull || self.isDue(progress) { try await self.store(&progress, &writer) }
        guard progress.draft.answers.readableBytes >= ImportLimits.answerBytes else { return }
        try await self.write(&progress, &writer)
    }

    /// Whether the client is to be told how far the import is.
    private func isDue(_ progress: Progress) -> Bool {
        progress.draft.lines - progress.told.lines >= ImportLimits.progressLines
            || self.now().timeIntervalSince(progress.toldAt) >= ImportLimits.interval / .seconds(1)
    }

    /// Stores what was read, and tells of it now and then.
    private func store(_ progress: inout Progress, _ writer: inout any ResponseBodyWriter) async throws {
        let registrations = progress.draft.registrations
        if !registrations.isEmpty {
            let now = self.now()
            let stored =
                self.isDryRun ? registrations.count : try await self.store.register(registrations, now: now)
            progress.tally.imported += stored
            progress.tally.older += registrations.count - stored
        }
        progress.draft.stored()
        progress.tally.lines = progress.draft.lines
        progress.tally.refused = progress.draft.refused
        guard progress.tally != progress.told, self.isDue(progress) else { return }
        progress.told = progress.tally
        progress.toldAt = self.now()
        ImportAnswer.progress(progress.tally, to: &progress.draft.answers)
        try await self.write(&progress, &writer)
    }

    private func write(_ progress: inout Progress, _ writer: inout any ResponseBodyWriter) async throws {
        let answers = progress.draft.answers
        progress.draft.answers = ByteBuffer()
        try await writer.write(answers)
    }

    private func end(
        _ progress: Progress,
        _ problem: Problem?,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        var answers = progress.draft.answers
        ImportAnswer.end(progress.tally, isDryRun: self.isDryRun, problem: problem, to: &answers)
        try await writer.write(answers)
        try await writer.finish(nil)
    }

    /// Passes over what the client still sends, so that it gets to read the last line.
    private func passOver(_ events: ImportEvents) async throws {
        let end = self.now().addingTimeInterval(ImportLimits.closingSeconds)
        while true {
            if case .end = try await events.next() { return }
            guard self.now() < end else { throw NotEnded() }
        }
    }
}
