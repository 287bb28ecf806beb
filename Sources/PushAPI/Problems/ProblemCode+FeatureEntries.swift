// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
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

extension ProblemCode {
    var channelEntry: ProblemEntry {
        switch self {
        case .channelNotFound:
            ProblemEntry(
                404,
                "There is no such channel",
                "The app has no channel of this name, or APNs has none of the given id in this environment.",
                fix:
                    "List what there is, here and at APNs, with `GET /v1/apps/{app}/channels?environment=…`, or make it with "
                    + "`POST`."
            )
        case .channelExists:
            ProblemEntry(
                409,
                "The channel's name is taken",
                "The app has a channel of this name, in whichever environment, or the channel of the given id under another "
                    + "name. A channel's environment and message storage never change.",
                fix: "Use the channel, choose another name, or delete it first."
            )
        case .channelInUse:
            ProblemEntry(
                409,
                "Activities are broadcast on the channel",
                "An activity is bound to the channel and is not over: without it phones that subscribe would show its last "
                    + "state until the system ends it.",
                fix: "End the activity, which `detail` names, and every other one that is bound to the channel."
            )
        case .channelNotReady:
            ProblemEntry(
                409,
                "The channel is not ready",
                "The channel is being made, or being deleted, at APNs: nothing can be bound to it.",
                fix:
                    "Make it by the same `POST` again if it is `creating`. Bind the activity to another one if it is "
                    + "`deleting`."
            )
        case .channelGone:
            ProblemEntry(
                409,
                "APNs has the channel no more",
                "The channel is known here, and APNs has dropped it: it was deleted elsewhere, or the app's Broadcast capability "
                    + "was turned off for a time, by which Apple deletes all channels. What is sent to it reaches nobody.",
                fix:
                    "End the activities that are bound to it, delete it with `DELETE /v1/apps/{app}/channels/{channel}`, make it "
                    + "anew with `POST`, and begin another activity on it. Apps have to subscribe to the new `id`."
            )
        case .channelLimit:
            ProblemEntry(
                409,
                "The app has as many channels as it may have",
                "Apple allows 10,000 channels for each app and environment, those included that nobody here knows of.",
                fix:
                    "Delete channels that are not needed any more. `unknown` in the list of channels names those that were "
                    + "made elsewhere: give one a name by `POST` with its `id`, and then delete it."
            )
        case .broadcastDisabled:
            ProblemEntry(
                409,
                "The app may not broadcast",
                "The App ID lacks the Broadcast capability of push notifications. Where it was taken away, Apple has deleted "
                    + "all channels.",
                fix:
                    "Turn Broadcast Capability on for the App ID at developer.apple.com, under Identifiers, Push "
                    + "Notifications."
            )
        case .noCredential:
            ProblemEntry(
                409,
                "The app has no credential for this environment",
                "APNs is asked with the credential of the app, and there is none for the environment, or none that can be "
                    + "read.",
                fix: "Add a key or a certificate for the environment with `POST /v1/apps/{app}/credentials`."
            )
        case .apnsRefused:
            ProblemEntry(
                409,
                "APNs refuses it",
                "APNs has refused what it was asked for, with the reason that `detail` has: most often the credential is "
                    + "not, or no longer, good for this app.",
                fix: "Do what the reason says; a new credential is used at once."
            )
        default:
            ProblemEntry(
                503,
                "APNs cannot be asked at the moment",
                "APNs cannot be reached, is overloaded, or its answer was lost. Where the answer was lost it may have done "
                    + "what it was asked for.",
                fix:
                    "Repeat the request: a channel that is being deleted is deleted then, and one that is being made is made; "
                    + "one that an answer was lost about is listed as `unknown`.",
                retryAfter: 5
            )
        }
    }
}

extension ProblemCode {
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

extension ProblemCode {
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

extension ProblemCode {
    var streamEntry: ProblemEntry {
        switch self {
        case .lineTooLong:
            ProblemEntry(
                413,
                "The line is too long",
                "A line of a stream is longer than 16 KiB, several times Apple's largest payload, or one of an import "
                    + "of devices longer than 64 KiB. Only that line is refused.",
                fix: "End every line with a line feed, and send the payload without white space."
            )
        case .streamGap:
            ProblemEntry(
                409,
                "Lines of the stream are missing",
                "`from` lies behind the lines that the server has accepted, so that some would never be sent. The "
                    + "stream may also have been forgotten: that happens 24 hours after its last line.",
                fix: "Go on from the line that `errors` names; lines that were accepted before are not sent again."
            )
        case .streamTaken:
            ProblemEntry(
                409,
                "Another connection goes on with the stream",
                "While this connection was open, lines of the same stream came by another one. What was acknowledged "
                    + "here is sent; lines that were not acknowledged are not stored.",
                fix: "Use one connection at a time for a stream. To go on with this one, open it again."
            )
        default:
            ProblemEntry(
                503,
                "The server has enough streams",
                "The server serves as many streams as it may at once.",
                fix: "Close streams that are idle, or send as batches.",
                retryAfter: 5
            )
        }
    }
}

extension ProblemCode {
    var topicEntry: ProblemEntry {
        switch self {
        case .topicNotFound:
            ProblemEntry(
                404,
                "There is no such topic",
                "The app has no topic of this name: nobody has made it for the app, and nothing of the app is subscribed to it.",
                fix: "List them with `GET /v1/apps/{app}/topics`; make one with `PUT /v1/apps/{app}/topics/{topic}`."
            )
        case .subscriptionNotFound:
            ProblemEntry(
                404,
                "There is no such subscription",
                "The app has no subscription of this id: it was ended, its device was removed, or its topic was deleted.",
                fix: "List them with `GET /v1/apps/{app}/subscriptions`."
            )
        case .topicShared:
            ProblemEntry(
                403,
                "The topic is not the app's alone",
                "Other apps have the topic too, or URLs are subscribed to it, and the key is bound to one app.",
                fix: "Change it with a key that is bound to no app, or leave its name and tags as they are."
            )
        default:
            ProblemEntry(
                409,
                "The topic has as many filter policies as it may have",
                "The subscriptions of a topic have at most 10,000 different filter policies.",
                fix: "Use the same policy, byte for byte, for subscriptions that want the same, or several topics."
            )
        }
    }

    var eventEntry: ProblemEntry {
        switch self {
        case .webhookNotFound:
            ProblemEntry(
                404,
                "There is no such webhook",
                "The app has no webhook with this id.",
                fix: "List them with `GET /v1/apps/{app}/webhooks`."
            )
        case .tooManyWebhooks:
            ProblemEntry(
                409,
                "The app has as many webhooks as it may have",
                "An app may have 20 webhooks.",
                fix: "Delete one that is not needed any more, or change it with `PATCH`."
            )
        default:
            ProblemEntry(
                410,
                "Events behind the cursor are gone",
                "The cursor is older than what is kept of the feed, so events were missed; or it is beyond the feed's end, "
                    + "as after the store was restored from a backup. `errors` names the oldest cursor behind which every "
                    + "event is kept.",
                fix: "Read the state that you follow anew, then go on from the cursor that `errors` names."
            )
        }
    }
}

extension ProblemCode {
    var quarantineEntry: ProblemEntry {
        switch self {
        case .quarantinedItemNotFound:
            ProblemEntry(
                404,
                "Unknown quarantined item",
                "No item has this number: it was repeated or removed, or belongs to another app than the key.",
                fix: "List the quarantined items with `GET /v1/quarantine`."
            )
        default:
            ProblemEntry(
                409,
                "Quarantined batch",
                "A quarantined batch has failed, and `:repeat` does not send it again. Nothing was changed.",
                fix:
                    "Send its failed targets again with `POST /v1/apps/{app}/notifications/{notification}:resend`; `detail` "
                    + "names the notification. Then remove the entry with `DELETE /v1/quarantine/{number}`."
            )
        }
    }
}
