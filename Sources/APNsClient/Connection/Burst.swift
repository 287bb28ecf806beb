// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What one burst of input settled, gathered so that it is reported once.
struct Burst {
    var accepted = 0
    var rejected = 0
    var returned: [ReturnedTarget] = []
    var isSettlingScheduled = false
    private var finished: [(job: SendJob, count: Int)] = []

    init(isSettlingScheduled: Bool = false) {
        self.isSettlingScheduled = isSettlingScheduled
    }

    var isEmpty: Bool { self.finished.isEmpty && self.returned.isEmpty }

    /// Counts targets of a job as done.
    ///
    /// Answers of one job mostly come in a row.
    mutating func finished(_ count: Int, of job: SendJob) {
        if let last = self.finished.indices.last, self.finished[last].job === job {
            self.finished[last].count += count
        } else {
            self.finished.append((job, count))
        }
    }

    /// Tells the jobs.
    ///
    /// A caller may go on from here, on another thread.
    func report() {
        for (job, count) in self.finished { job.finish(count) }
    }
}
