// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import ServiceLifecycle
import Synchronization

/// Runs the demo in a temporary directory, and removes it afterwards.
struct DemoService: Service {
    let endsByItself: Bool
    let narrator: DemoPrinter

    /// Called with the report of a completed demo.
    let onReport: @Sendable (DemoReport) -> Void

    func run() async throws {
        let start = ContinuousClock.now
        try await DemoDirectory.with { directory in
            try await self.run(in: directory, since: start)
        }
    }

    /// - Returns: whether everything came as it had to.
    private func run(in directory: String, since start: ContinuousClock.Instant) async throws -> Bool {
        let stage = try await cancelWhenGracefulShutdown {
            try await LocalTestEnvironment.open(
                in: directory,
                executable: CurrentExecutable.path,
                serverArguments: ["--with", "delivery"],
                goesBySimulator: true
            )
        }
        let isGood: Bool
        do {
            isGood = try await self.run(on: stage, since: start)
        } catch {
            try? await stage.close()
            throw error
        }
        try await stage.close()
        return isGood
    }

    private func run(on stage: LocalTestEnvironment, since start: ContinuousClock.Instant) async throws -> Bool {
        let scheduler = try await cancelWhenGracefulShutdown { try await DemoScheduler.start(on: stage) }
        do {
            let (report, phone, activities) = try await cancelWhenGracefulShutdown {
                var run = DemoRun(stage: stage, scheduler: scheduler, narrator: self.narrator)
                let activities = try await run.run(since: start)
                return (run.report, run.phones.first, activities)
            }
            self.onReport(report)
            if !self.endsByItself, let phone {
                let lesson = try await activities.encore()
                self.narrator.tellHowToGoOn(
                    stage,
                    phone: phone,
                    lesson: lesson,
                    scheduler: scheduler.processID,
                    keepsDirectory: !report.isGood
                )
                try await gracefulShutdown()
            }
            await scheduler.stop()
            return report.isGood
        } catch {
            await scheduler.stop()
            throw error
        }
    }
}

/// The directory of one demo, with the store and the logs of its processes.
enum DemoDirectory {
    /// Creates a directory for `body`.
    ///
    /// Removes it afterwards, unless `body` returns `false` or fails: then it prints the path, because the directory
    /// has the logs.
    /// - Throws: what `body` throws.
    static func with(
        in parent: URL = FileManager.default.temporaryDirectory,
        tell: (String) -> Void = Console.note,
        _ body: (String) async throws -> Bool
    ) async throws {
        let path = parent.appendingPathComponent("apus-demo-\(UInt32.random(in: .min ... .max))").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var isGood = false
        do {
            isGood = try await body(path)
        } catch let error as CancellationError {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        } catch {
            tell("The logs of the demo are in \(path)")
            throw error
        }
        if isGood {
            try FileManager.default.removeItem(atPath: path)
        } else {
            tell("The logs of the demo are in \(path)")
        }
    }
}

/// The scheduler's process, which is killed in the middle of the demo, and the one that comes after it.
final class DemoScheduler: Sendable {
    private let stage: LocalTestEnvironment
    private let process: Mutex<ChildProcess>

    private init(_ stage: LocalTestEnvironment, _ process: ChildProcess) {
        self.stage = stage
        self.process = Mutex(process)
    }

    /// Starts the first one.
    ///
    /// - Throws: ``CommandError`` `.not_ready` with the end of its log.
    static func start(on stage: LocalTestEnvironment) async throws -> DemoScheduler {
        DemoScheduler(stage, try await stage.startScheduler())
    }

    /// The process that runs, or was killed.
    var processID: Int32 { self.process.withLock(\.processID) }

    /// Kills the process, which gets no chance to tidy up, and waits for its end.
    func kill() async {
        let process = self.process.withLock(\.self)
        process.kill()
        _ = await process.exitStatus()
    }

    /// Starts the next one.
    ///
    /// - Throws: ``CommandError`` `.not_ready` with the end of its log.
    func restart() async throws {
        let next = try await self.stage.startScheduler()
        self.process.withLock { $0 = next }
    }

    /// Stops the process, unless the user has killed it.
    func stop() async {
        await self.process.withLock(\.self).stop()
    }
}
