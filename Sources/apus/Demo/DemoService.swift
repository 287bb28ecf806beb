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
            try await ServerStage.open(in: directory, executable: OwnExecutable.path)
        }
        let run: DemoRun
        do {
            run = try await cancelWhenGracefulShutdown {
                var run = DemoRun(stage: stage, narrator: self.narrator)
                try await run.run(since: start)
                return run
            }
            self.onReport(run.report)
            if !self.endsByItself, let phone = run.phones.first {
                self.narrator.tellHowToGoOn(stage, phone: phone, keepsDirectory: !run.report.isGood)
                try await gracefulShutdown()
            }
        } catch {
            try? await stage.close()
            throw error
        }
        try await stage.close()
        return run.report.isGood
    }
}
