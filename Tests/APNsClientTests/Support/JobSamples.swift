// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

@testable import APNsClient

/// Jobs without a connection, for tests of the values that keep them.
enum JobSamples {
    /// Makes jobs of these sizes for as long as `body` takes, then ends all of them.
    static func with(
        _ counts: [Int],
        deadline: NIODeadline = .distantFuture,
        _ body: ([SendOperation]) async throws -> Void
    ) async throws {
        let batches = try counts.map { try SendBatch.sample(count: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            var jobs: [SendOperation] = []
            for batch in batches {
                let job = await withCheckedContinuation { made in
                    group.addTask {
                        _ = await withCheckedContinuation { continuation in
                            made.resume(
                                returning: SendOperation(batch, deadline: deadline) {
                                    continuation.resume(returning: $0)
                                }
                            )
                        }
                    }
                }
                jobs.append(job)
            }
            defer { for job in jobs { job.finish(job.count) } }
            try await body(jobs)
        }
    }
}
