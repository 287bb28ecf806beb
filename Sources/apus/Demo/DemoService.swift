// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import ServiceLifecycle

/// Runs the demo in a directory of its own and tidies up behind it.
struct DemoService: Service {
    let endsByItself: Bool
    let narrator: DemoNarrator

    /// Gets the report of a demo that came to its end.
    let onReport: @Sendable (DemoReport) -> Void

    func run() async throws {
        let start = ContinuousClock.now
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("apus-demo-\(UInt32.random(in: .min ... .max))").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        do {
            try await self.run(in: directory, since: start)
        } catch let error as CancellationError {
            try? FileManager.default.removeItem(atPath: directory)
            throw error
        } catch {
            Console.note("The logs of the demo are in \(directory)")
            throw error
        }
        try FileManager.default.removeItem(atPath: directory)
    }

    private func run(in directory: String, since start: ContinuousClock.Instant) async throws {
        let stage = try await cancelWhenGracefulShutdown {
            try await DemoStage.open(in: directory, executable: OwnExecutable.path)
        }
        do {
            let run = try await cancelWhenGracefulShutdown {
                var run = DemoRun(stage: stage, narrator: self.narrator)
                try await run.run(since: start)
                return run
            }
            self.onReport(run.report)
            if !self.endsByItself, let phone = run.phones.first {
                self.narrator.tellHowToGoOn(stage, phone: phone)
                try await gracefulShutdown()
            }
        } catch {
            try? await stage.close()
            throw error
        }
        try await stage.close()
    }
}
