// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// The scheduler's process, which is killed in the middle of the demo, and the one that comes after it.
final class DemoScheduler: Sendable {
    private let stage: ServerStage
    private let process: Mutex<ChildProcess>

    private init(_ stage: ServerStage, _ process: ChildProcess) {
        self.stage = stage
        self.process = Mutex(process)
    }

    /// Starts the first one.
    ///
    /// - Throws: ``CommandFailure`` `.not_ready` with the end of its log.
    static func start(on stage: ServerStage) async throws -> DemoScheduler {
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
    /// - Throws: ``CommandFailure`` `.not_ready` with the end of its log.
    func restart() async throws {
        let next = try await self.stage.startScheduler()
        self.process.withLock { $0 = next }
    }

    /// Stops the process, unless whoever watches has killed it by hand.
    func stop() async {
        await self.process.withLock(\.self).stop()
    }
}
