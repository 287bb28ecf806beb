// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Runs bulk work on ``BulkThreads``, so that what somebody waits for never queues behind it.
///
/// A priority of tasks does not do that: whoever waits for a task raises its priority to their own.
final class BulkExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BulkThreads.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
