// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch

/// Runs bulk work on threads of its own, so that what somebody waits for never queues behind it.
///
/// A priority of tasks does not do that: whoever waits for a task raises its priority to their own.
final class BulkExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "apus.bulk", qos: .utility, attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
