// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    /// What the catalogue says of the codes of jobs.
    var jobEntry: ProblemEntry {
        switch self {
        case .jobNotFound:
            ProblemEntry(
                404,
                "There is no such job",
                "The app has no job of this name.",
                fix: "List them with `GET /v1/apps/{app}/jobs`; make one with `PUT`."
            )
        case .jobBusy:
            ProblemEntry(
                409,
                "A run of the job has not ended",
                "As many runs of the job are open, going or waiting for their turn, as its `overlap` allows.",
                fix: "Wait for them to end, or let the job's runs go on side by side with `overlap` `allow`."
            )
        case .jobIsCode:
            ProblemEntry(
                409,
                "A program does the job",
                "A program has registered a job of this name, and says what it does and when.",
                fix:
                    "Choose another name, or change the program. Such a job can be run, paused, resumed and, once the program is "
                    + "gone, removed."
            )
        default:
            ProblemEntry(
                409,
                "The app has as many jobs as it may have",
                "An app has at most 1,000 jobs.",
                fix: "Remove some, or let one job do the work of several."
            )
        }
    }
}
