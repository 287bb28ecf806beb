// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ServiceLifecycle

/// Runs the demo in a directory of its own and tidies up behind it.
struct DemoService: Service {
    let endsByItself: Bool
    let narrator: DemoNarrator

    /// Gets the report of a demo that came to its end.
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
            try await ServerStage.open(
                in: directory,
                executable: OwnExecutable.path,
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

    private func run(on stage: ServerStage, since start: ContinuousClock.Instant) async throws -> Bool {
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
