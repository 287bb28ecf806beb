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
        case .activityOverBudget:
            ProblemEntry(
                409,
                "Phones have no room for another push of priority 10",
                "The change says `budget` 'refuse', and phones of the activity were sent as many pushes of priority 10 within "
                    + "the last hour as are configured (`activities.hourlyBudget`, `activities.frequentHourlyBudget`). Apple "
                    + "throttles what is beyond its own budget, which it does not publish. Nothing was changed.",
                fix: "Send it with priority 5, or with `budget` 'lower', or from the time on that the detail names."
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
        case .activityTypeNotFound:
            ProblemEntry(
                404,
                "There is no such type of activities",
                "The app has registered no type of this name. Activities of types that are not registered work, unchecked.",
                fix: "List them with `GET /v1/apps/{app}/activity-types`, or register it with `PUT`."
            )
        case .contentMismatch:
            ProblemEntry(
                422,
                "The content is not what the app's type decodes",
                "The content state, or the attributes, break the schema under which the type was registered. APNs would take "
                    + "them, and phones would ignore the push in silence. `errors` names each place (the first 20), the rule "
                    + "and what was found; nothing was changed. After a `patch` it is about the whole state that came of it.",
                fix:
                    "Send what the app's `Codable` type has. If the type has changed, register it anew with "
                    + "`PUT /v1/apps/{app}/activity-types/{attributesType}`."
            )
        default:
            ProblemEntry(
                422,
                "There are too many of these",
                "An activity has at most 32 named instants and 100 planned transitions, and an app at most 100 types of "
                    + "activities.",
                fix:
                    "Forget instants by `null`, withdraw transitions, let one transition change several members, or delete "
                    + "types."
            )
        }
    }
}
