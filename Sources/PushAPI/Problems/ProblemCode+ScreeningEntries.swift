// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    /// What the catalogue says of the codes of screenings.
    var screeningEntry: ProblemEntry {
        switch self {
        case .screeningNotFound:
            ProblemEntry(
                404,
                "There is no such screening",
                "The app has no screening with this id.",
                fix: "List them with `GET /v1/apps/{app}/screenings`."
            )
        default:
            ProblemEntry(
                409,
                "The screening has ended",
                "It is finished, cancelled, expired or failed, so that it can be neither paused nor resumed nor "
                    + "cancelled.",
                fix: "Create another screening."
            )
        }
    }
}
