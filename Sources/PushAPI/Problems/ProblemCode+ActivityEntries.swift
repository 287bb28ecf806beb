// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    /// What the catalogue says of the codes of Live Activities.
    var activityEntry: ProblemEntry {
        switch self {
        case .activityNotFound:
            ProblemEntry(
                404,
                "There is no such activity",
                "The app has no activity of this name, or it was over for so long that it was removed.",
                fix:
                    "List them with `GET /v1/apps/{app}/activities`. An app that is the first to tell of an activity gives "
                    + "`attributesType` beside its token."
            )
        case .activityExists:
            ProblemEntry(
                409,
                "The activity's name is taken",
                "The app has an activity of this name. A name stays taken when the activity is over.",
                fix: "Change the activity with `PATCH`, invite more phones with `:invite`, or choose another name."
            )
        case .activityOver:
            ProblemEntry(
                409,
                "The activity is over",
                "It was ended, or the system ended it after 8 hours. Phones ignore what is sent to it from then on.",
                fix: "Start another activity."
            )
        case .activityStateUnknown:
            ProblemEntry(
                409,
                "The activity's content state is not known",
                "The app started the activity and told no content state. A phone needs a whole one with every update, so "
                    + "there is nothing that a patch, or a change of anything else, could go with.",
                fix: "Give `contentState` instead of `patch`, once; from then on patches work."
            )
        case .activityNotStartable:
            ProblemEntry(
                422,
                "The activity cannot be started by a push",
                "A push starts an activity only with `attributes`, `contentState` and `alert`. APNs takes one without an "
                    + "alert as well, and the phone drops it in silence.",
                fix: "Give all three when the activity is made."
            )
        case .transitionNotFound:
            ProblemEntry(
                404,
                "There is no such transition",
                "The activity has planned no transition of this name: it never had, or it was carried out, skipped or "
                    + "withdrawn.",
                fix: "List them with `GET /v1/apps/{app}/activities/{activity}/transitions`."
            )
        default:
            ProblemEntry(
                422,
                "The activity has too many of these",
                "An activity has at most 32 named instants and 100 planned transitions.",
                fix: "Forget instants by `null`, withdraw transitions, or let one transition change several members."
            )
        }
    }
}
