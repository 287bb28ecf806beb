// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Hummingbird
import Logging
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle

/// One import of devices, from its first line to its last.
///
/// It reads one chunk while the one before is stored, and nothing while the client does not take an answer. So neither
/// a fast client nor a long file fills the memory.
struct DeviceImport: Sendable {
    let app: App
    let format: DeviceFileFormat

    /// The columns to read, if they have other names than those of a device.
    var mapping: ColumnMapping?

    /// How many lines at the beginning are passed over, because an earlier import stored them.
    var skippedLines = 0

    /// Whether lines are only checked.
    let isDryRun: Bool

    let store: any DeviceStore

    /// How many bytes a line may have.
    let lineLimit: Int

    /// The clock of the interval after which received lines are stored.
    let clock: any Clock<Duration>

    let now: @Sendable () -> Date
    let logger: Logger

    /// Returns why the import must end; `nil` while it may continue.
    ///
    /// It is called once per second, not for each line.
    let refusal: @Sendable () async -> Problem?

    /// The client did not end its request after the server had ended the import.
    struct NotEnded: Error {}

    /// The chunk that is being stored; its task returns how many devices were not passed over.
    private typealias Storing = ThrowingTaskGroup<Int, any Error>

    /// The state of one import.
    private struct Progress {
        var draft: PendingImportChunk
        /// The chunk that is being stored, with the tally of the file up to its end.
        var chunk: (devices: Int, lines: Int, rejected: Int)?
        var tally = ImportCounts()
        var told = ImportCounts()
        var toldAt: Date
    }

    /// Runs the import.
    ///
    /// - Throws: the error of a broken connection, to which no response is possible; stored devices are kept.
    func run(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
        let events = ImportEvents()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await events.read(body) }
            group.addTask { await events.count(every: ImportLimits.interval, of: self.clock) }
            try await withThrowingTaskGroup(of: Int.self) { try await self.carryOut(events, &$0, &writer) }
        }
    }

    private func carryOut(
        _ events: ImportEvents,
        _ storing: inout Storing,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        let draft = PendingImportChunk(
            app: self.app,
            format: self.format,
            mapping: self.mapping,
            lineLimit: self.lineLimit,
            skippedLines: self.skippedLines
        )
        var progress = Progress(draft: draft, toldAt: self.now())
        var lines = LineBuffer(maximum: self.lineLimit, quotation: self.format == .csv)
        do {
            reading: while true {
                let event = try await events.next()
                guard !Task.isShuttingDownGracefully else {
                    try await self.store(&progress, &storing, &writer)
                    try await self.finishStoring(&progress, &storing)
                    throw Problem(.shuttingDown, ProblemCode.shuttingDown.entry.meaning)
                }
                switch event {
                case .part(let part):
                    lines.append(part)
                    while let line = lines.next() {
                        try await self.take(line, of: lines.bytes, &progress, &storing, &writer)
                    }
                case .tick:
                    if let problem = await self.refusal() { throw problem }
                    try await self.store(&progress, &storing, &writer)
                case .end, .failure: break reading
                }
            }
            while let line = lines.finish() { try await self.take(line, of: lines.bytes, &progress, &storing, &writer) }
            try await self.store(&progress, &storing, &writer)
            try await self.finishStoring(&progress, &storing)
            try progress.draft.finish()
        } catch let problem as Problem {
            do {
                try await self.finishStoring(&progress, &storing)
            } catch {
                self.logger.error("Failed to store the last devices of an import", error: error)
            }
            try await self.end(progress, problem, &writer)
            return try await self.passOver(events)
        } catch let error as StoreError {
            self.logger.error("Device import failed", error: error)
            try await self.end(progress, Problem(error), &writer)
            return try await self.passOver(events)
        }
        try await self.end(progress, nil, &writer)
    }

    private func take(
        _ line: LineBuffer.Line,
        of bytes: [UInt8],
        _ progress: inout Progress,
        _ storing: inout Storing,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        try progress.draft.read(line, of: bytes, now: self.now())
        // Rejected lines do not fill a transaction, but are reported at intervals, too.
        if progress.draft.isFull || self.isDue(progress) { try await self.store(&progress, &storing, &writer) }
        guard progress.draft.answers.readableBytes >= ImportLimits.answerBytes else { return }
        try await self.write(&progress, &writer)
    }

    /// Whether the progress must be reported.
    private func isDue(_ progress: Progress) -> Bool {
        progress.draft.lines - progress.told.linesRead >= ImportLimits.progressLines
            || self.now().timeIntervalSince(progress.toldAt) >= ImportLimits.interval / .seconds(1)
    }

    /// Starts to store the parsed lines when the previous chunk is stored, and reports the progress at intervals.
    private func store(
        _ progress: inout Progress,
        _ storing: inout Storing,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        try await self.finishStoring(&progress, &storing)
        let registrations = progress.draft.registrations
        progress.chunk = (registrations.count, progress.draft.lines, progress.draft.refused)
        let now = self.now()
        storing.addTask {
            self.isDryRun || registrations.isEmpty
                ? registrations.count : try await self.store.register(registrations, now: now)
        }
        progress.draft.stored()
        guard self.isDue(progress) else { return }
        try await self.finishStoring(&progress, &storing)
        guard progress.tally != progress.told else { return }
        progress.told = progress.tally
        progress.toldAt = self.now()
        ImportResponseWriter.progress(progress.tally, to: &progress.draft.answers)
        try await self.write(&progress, &writer)
    }

    /// Waits until the chunk is stored, and counts it.
    private func finishStoring(_ progress: inout Progress, _ storing: inout Storing) async throws {
        guard let chunk = progress.chunk.take(), let stored = try await storing.next() else { return }
        progress.tally.imported += stored
        progress.tally.skippedOlder += chunk.devices - stored
        progress.tally.linesRead = chunk.lines
        progress.tally.rejected = chunk.rejected
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
        ImportResponseWriter.end(progress.tally, isDryRun: self.isDryRun, problem: problem, to: &answers)
        try await writer.write(answers)
        try await writer.finish(nil)
    }

    /// Reads and discards the rest of the request, so that the client reads the last line of the response.
    private func passOver(_ events: ImportEvents) async throws {
        let end = self.now().addingTimeInterval(ImportLimits.closingSeconds)
        while true {
            if case .end = try await events.next() { return }
            guard self.now() < end else { throw NotEnded() }
        }
    }
}

/// The limits of the memory of an import, and the intervals of its progress reports.
enum ImportLimits {
    /// How many devices are stored in one transaction.
    ///
    /// Each new device changes different pages of the indexes, so a larger transaction writes fewer pages for each. On
    /// SQLite other changes wait for it, some 25 ms; up to four imports share a transaction.
    static let chunkDevices = 1000

    /// How many bytes of lines are gathered at most before they are stored.
    static let chunkBytes = 1 << 20

    /// How many bytes of answers are gathered at most before they are handed to the connection.
    static let answerBytes = 16 << 10

    /// The maximum number of lines between two progress reports.
    static let progressLines = 10_000

    /// The interval after which lines are stored and the progress is reported, if lines arrive slowly.
    static let interval: Duration = .seconds(1)

    /// How many seconds a client is given to end its request once the server has ended the import.
    static let closingSeconds = 2.0
}

/// How far an import is.
struct ImportCounts: Hashable, Sendable {
    /// Every line up to this one is stored, skipped or rejected.
    var linesRead = 0

    /// How many devices were stored; in a dry run, how many would be.
    var imported = 0

    /// How many were skipped, since the app has registered the device, or its token, after the time of the line.
    var skippedOlder = 0

    /// How many lines were rejected.
    var rejected = 0
}

/// The lines that an import answers.
enum ImportResponseWriter {
    static func progress(_ tally: ImportCounts, to output: inout ByteBuffer) {
        output.writeString("{\"type\":\"progress\",\(self.members(tally))}\n")
    }

    static func rejected(_ line: Int, _ problem: Problem, to output: inout ByteBuffer) {
        output.writeString("{\"type\":\"rejected\",\"line\":\(line),\"problem\":")
        output.writeBytes(problem.lineJSON)
        output.writeString("}\n")
    }

    /// Writes the last line: with a problem if the import did not complete.
    static func end(_ tally: ImportCounts, isDryRun: Bool, problem: Problem?, to output: inout ByteBuffer) {
        let reason = problem?.code.rawValue ?? "completed"
        output.writeString("{\"type\":\"end\",\"reason\":\"\(reason)\",\(self.members(tally)),\"dryRun\":\(isDryRun)")
        if let problem {
            output.writeString(",\"problem\":")
            output.writeBytes(problem.lineJSON)
        }
        output.writeString("}\n")
    }

    private static func members(_ tally: ImportCounts) -> String {
        """
        "linesRead":\(tally.linesRead),"imported":\(tally.imported),"skippedOlder":\(tally.skippedOlder),\
        "rejected":\(tally.rejected)
        """
    }
}
