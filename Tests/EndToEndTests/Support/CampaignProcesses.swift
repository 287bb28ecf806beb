// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import CommandLineSupport
import Testing

@testable import apus

/// The processes that carry out a campaign.
struct CampaignProcesses {
    /// How the work is shared.
    enum Deployment: CaseIterable {
        /// One process does all of it.
        case together

        /// One process answers requests, one plans, and one delivers.
        case apart
    }

    /// What answers requests.
    let front: ServerInTest.Running
    private let workers: [ChildProcess]

    /// Starts them over a stage's store.
    static func start(_ deployment: Deployment, on stage: CampaignStage) async throws -> CampaignProcesses {
        switch deployment {
        case .together: return CampaignProcesses(front: try await stage.start(), workers: [])
        case .apart:
            let front = try await stage.server.start(with: "none")
            let planner = try await stage.server.startWorker(.schedule).process
            let sender = try await stage.server.startWorker(.deliver).process
            return CampaignProcesses(front: front, workers: [planner, sender])
        }
    }

    /// Ends them, each of which has to end well.
    func stop() async {
        for process in self.workers + [self.front.process] { #expect(await process.stop() == 0) }
    }
}
