// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    var activityEntry: ProblemDescription {
        switch self {
        case .activityNotFound:
            ProblemDescription(
                404,
                "Unknown activity",
                "The app has no activity of this name, or the activity ended and was pruned later.",
                fix:
                    "List the activities with `GET /v1/apps/{app}/activities`. If the app on a device started the "
                    + "activity, register its token with `attributesType`."
            )
        case .activityExists:
            ProblemDescription(
                409,
                "Duplicate activity name",
                "The app has an activity of this name. An ended activity keeps its name.",
                fix: "Update the activity with `PATCH`, start it on more devices with `:start`, or use another name."
            )
        case .activityEnded:
            ProblemDescription(
                409,
                "Ended activity",
                "The activity was ended, or the system ended it after 8 hours. Devices ignore later pushes to it.",
                fix: "Start another activity."
            )
        case .pushBudgetExceeded:
            ProblemDescription(
                409,
                "Push budget exceeded",
                "The change has `budget` 'reject', and devices of the activity were sent the configured maximum of "
                    + "priority-10 pushes in the last hour (`activities.hourlyBudget`, "
                    + "`activities.frequentHourlyBudget`). Apple throttles pushes over its own budget, which it does "
                    + "not publish. Nothing was changed.",
                fix: "Send the change with priority 5, with `budget` 'downgrade', or after the time in `detail`."
            )
        case .activityStateUnknown:
            ProblemDescription(
                409,
                "Unknown content state of the activity",
                "The app started the activity and reported no content state. Every update needs a complete content "
                    + "state, so the server can apply neither a patch nor any other change.",
                fix: "Send `contentState` instead of `patch` once. After that, patches work."
            )
        case .activityNotStartable:
            ProblemDescription(
                422,
                "Activity without the data for a start push",
                "A push starts an activity only with `attributes`, `contentState` and `alert`. APNs accepts a push "
                    + "without an alert, but the device drops it silently.",
                fix: "Send all three when you create the activity."
            )
        case .transitionNotFound:
            ProblemDescription(
                404,
                "Unknown transition",
                "The activity has no scheduled transition of this name. The transition may have been executed, skipped "
                    + "or cancelled.",
                fix: "List the transitions with `GET /v1/apps/{app}/activities/{activity}/transitions`."
            )
        case .activityTypeNotFound:
            ProblemDescription(
                404,
                "Unknown activity type",
                "The app has no registered activity type of this name. Activities of unregistered types work, but the "
                    + "server does not validate their content.",
                fix: "List the types with `GET /v1/apps/{app}/activity-types`, or register the type with `PUT`."
            )
        case .contentMismatch:
            ProblemDescription(
                422,
                "Content that does not match the activity type",
                "The content state or the attributes violate the registered schema of the activity type. APNs would "
                    + "accept them, but devices would silently ignore the push. `errors` has the path (the first 20), "
                    + "the expected and the actual value of each error. For a `patch`, the complete resulting state is "
                    + "validated. Nothing was changed.",
                fix:
                    "Send the members of the app's `Codable` type. If the type has changed, register it again with "
                    + "`PUT /v1/apps/{app}/activity-types/{attributesType}`."
            )
        default:
            ProblemDescription(
                422,
                "Limit of the activity or app exceeded",
                "An activity has at most 32 named instants and 100 scheduled transitions. An app has at most 100 "
                    + "activity types.",
                fix:
                    "Remove instants with `null`, cancel transitions, let one transition change several members, or "
                    + "delete types."
            )
        }
    }
}

extension ProblemCode {
    var channelEntry: ProblemDescription {
        switch self {
        case .channelNotFound:
            ProblemDescription(
                404,
                "Unknown channel",
                "The app has no channel of this name, or APNs has no channel with the `id` in this environment.",
                fix:
                    "List the channels of the server and of APNs with `GET /v1/apps/{app}/channels?environment=…`, or "
                    + "create the channel with `POST`."
            )
        case .channelExists:
            ProblemDescription(
                409,
                "Duplicate channel",
                "The app has a channel of this name in one of the environments, or the channel with the `id` has "
                    + "another name. The environment and the message storage of a channel never change.",
                fix: "Use the channel, choose another name, or delete it first."
            )
        case .channelInUse:
            ProblemDescription(
                409,
                "Channel in use by activities",
                "An active activity is bound to the channel. Without the channel, subscribed devices would show its "
                    + "last state until the system ends it.",
                fix: "End the activity that `detail` names, and every other activity that is bound to the channel."
            )
        case .channelNotReady:
            ProblemDescription(
                409,
                "Channel in creation or deletion",
                "The channel is being created or deleted at APNs, so no activity can be bound to it.",
                fix:
                    "If the channel is `creating`, repeat the `POST` that creates it. If it is `deleting`, bind the "
                    + "activity to another channel."
            )
        case .channelDeleted:
            ProblemDescription(
                409,
                "Channel deleted at APNs",
                "The server has the channel, but APNs has deleted it: another client deleted it, or the Broadcast "
                    + "capability of the app was turned off for a time. Apple then deletes all channels. Pushes to it "
                    + "are delivered to no device.",
                fix:
                    "End the activities that are bound to the channel. Delete it with `DELETE "
                    + "/v1/apps/{app}/channels/{channel}`, create it again with `POST`, and start another activity on "
                    + "it. Apps must subscribe to the new `id`."
            )
        case .channelLimitExceeded:
            ProblemDescription(
                409,
                "Channel limit exceeded",
                "Apple allows 10,000 channels for each app and environment, including channels that this server did "
                    + "not create.",
                fix:
                    "Delete channels that the app does not need. In the list of channels, `unmanaged` has the channels "
                    + "that other clients created. Name such a channel with `POST` and its `id`, then delete it."
            )
        case .broadcastDisabled:
            ProblemDescription(
                409,
                "App without the Broadcast capability",
                "The App ID lacks the Broadcast capability of push notifications. If the capability was removed, Apple "
                    + "has deleted all channels.",
                fix:
                    "Turn on Broadcast Capability for the App ID at developer.apple.com, under Identifiers, Push "
                    + "Notifications."
            )
        case .credentialRequired:
            ProblemDescription(
                409,
                "No credential for the environment",
                "Requests to APNs need a credential of the app. It has none for the environment, or none that can be "
                    + "read.",
                fix: "Add a key or a certificate for the environment with `POST /v1/apps/{app}/credentials`."
            )
        case .apnsRejected:
            ProblemDescription(
                409,
                "Rejection by APNs",
                "APNs rejected the request; `detail` has its reason. The usual cause is a credential that is not valid "
                    + "for this app.",
                fix: "Correct the request or the credential, as the reason says. The server uses a new credential "
                    + "immediately."
            )
        default:
            ProblemDescription(
                503,
                "Unavailable channel management of APNs",
                "APNs is unreachable or overloaded, or its response was lost. In the last case, APNs may have executed "
                    + "the request. Or this server has no channel manager; then `detail` says so.",
                fix:
                    "Repeat the request: it completes the creation or deletion of a channel. If the response to a "
                    + "creation was lost, the list of channels can have the first channel under `unmanaged`. If the "
                    + "server has no channel manager, send the request to a process that runs `apus serve`.",
                retryAfter: 5
            )
        }
    }
}

extension ProblemCode {
    var jobEntry: ProblemDescription {
        switch self {
        case .jobNotFound:
            ProblemDescription(
                404,
                "Unknown job",
                "The app has no job of this name.",
                fix: "List the jobs with `GET /v1/apps/{app}/jobs`, or create the job with `PUT`."
            )
        case .jobRunInProgress:
            ProblemDescription(
                409,
                "Job run in progress",
                "The maximum number of runs that the `overlap` of the job allows are in progress or queued.",
                fix: "Wait until the runs end, or allow concurrent runs with `overlap` `allow`."
            )
        case .jobManagedByCode:
            ProblemDescription(
                409,
                "Job managed by code",
                "A program has registered a job of this name, and defines its action and schedule.",
                fix:
                    "Use another name, or change the program. You can run, pause and resume such a job. After the "
                    + "program no longer runs, you can delete the job."
            )
        default:
            ProblemDescription(
                409,
                "Job limit exceeded",
                "An app has at most 1,000 jobs.",
                fix: "Delete jobs, or combine several jobs into one."
            )
        }
    }
}

extension ProblemCode {
    var tokenValidationEntry: ProblemDescription {
        switch self {
        case .tokenValidationNotFound:
            ProblemDescription(
                404,
                "Unknown token validation",
                "The app has no token validation with this ID.",
                fix: "List the token validations with `GET /v1/apps/{app}/token-validations`."
            )
        default:
            ProblemDescription(
                409,
                "Completed token validation",
                "The token validation is completed, cancelled, expired or failed. It cannot be paused, resumed or "
                    + "cancelled.",
                fix: "Create another token validation."
            )
        }
    }
}

extension ProblemCode {
    var streamEntry: ProblemDescription {
        switch self {
        case .lineTooLong:
            ProblemDescription(
                413,
                "Line too long",
                "A line of a stream is longer than 16 KiB, or a line of a device import is longer than 64 KiB. Only "
                    + "that line is rejected.",
                fix: "End every line with a line feed, and send the payload without white space."
            )
        case .streamGap:
            ProblemDescription(
                409,
                "Missing lines of the stream",
                "`from` is greater than the next line that the server expects, so some lines would never be sent. Or "
                    + "the stream was pruned, which happens 24 hours after its last line.",
                fix: "Continue with the line that `errors` names. The server does not send accepted lines again."
            )
        case .streamInUse:
            ProblemDescription(
                409,
                "Stream in use by another connection",
                "While this connection was open, the server received lines of the same stream from another connection. "
                    + "The acknowledged lines of this connection are sent. The others are not stored.",
                fix: "Use one connection at a time for a stream. To continue here, open the stream again."
            )
        default:
            ProblemDescription(
                503,
                "Too many concurrent streams",
                "The server has the maximum number of open streams.",
                fix: "Close idle streams, or send notifications with requests instead.",
                retryAfter: 5
            )
        }
    }
}

extension ProblemCode {
    var topicEntry: ProblemDescription {
        switch self {
        case .topicNotFound:
            ProblemDescription(
                404,
                "Unknown topic",
                "The app has no topic of this name: no request created it for the app, and the app has no subscription "
                    + "to it.",
                fix:
                    "List the topics with `GET /v1/apps/{app}/topics`, or create the topic with "
                    + "`PUT /v1/apps/{app}/topics/{topic}`."
            )
        case .subscriptionNotFound:
            ProblemDescription(
                404,
                "Unknown subscription",
                "The app has no subscription with this ID. The subscription, its device or its topic may have been "
                    + "deleted.",
                fix: "List the subscriptions with `GET /v1/apps/{app}/subscriptions`."
            )
        case .topicSharedWithOtherApps:
            ProblemDescription(
                403,
                "Topic shared with other apps",
                "Other apps have the topic too, or URLs are subscribed to it, and the key is bound to one app.",
                fix: "Use a key that is not bound to an app, or another name for the topic."
            )
        default:
            ProblemDescription(
                409,
                "Filter policy limit of the topic exceeded",
                "The subscriptions of a topic have at most 10,000 different filter policies.",
                fix: "Use byte-identical policies for subscriptions with the same conditions, or use several topics."
            )
        }
    }

    var eventEntry: ProblemDescription {
        switch self {
        case .webhookNotFound:
            ProblemDescription(
                404,
                "Unknown webhook",
                "The app has no webhook with this ID.",
                fix: "List the webhooks with `GET /v1/apps/{app}/webhooks`."
            )
        case .tooManyWebhooks:
            ProblemDescription(
                409,
                "Webhook limit exceeded",
                "An app has at most 20 webhooks.",
                fix: "Delete a webhook, or change an existing webhook with `PATCH`."
            )
        default:
            ProblemDescription(
                410,
                "Expired cursor",
                "Events after the cursor were pruned. Or the cursor is beyond the end of the feed, for example after "
                    + "the store was restored from a backup. `errors` has the oldest cursor after which all events are "
                    + "stored.",
                fix: "Read the current state of the resources, then continue with the cursor that `errors` names."
            )
        }
    }
}

extension ProblemCode {
    var quarantineEntry: ProblemDescription {
        switch self {
        case .quarantinedItemNotFound:
            ProblemDescription(
                404,
                "Unknown quarantined item",
                "No quarantined item has this number: it was repeated or removed, or it belongs to another app than "
                    + "the key.",
                fix: "List the quarantined items with `GET /v1/quarantine`."
            )
        default:
            ProblemDescription(
                409,
                "Quarantined batch",
                "A quarantined batch has failed, and `:repeat` does not send it again. Nothing was changed.",
                fix:
                    "Send its failed targets again with `POST /v1/apps/{app}/notifications/{notification}:resend`; "
                    + "`detail` names the notification. Then remove the entry with `DELETE /v1/quarantine/{number}`."
            )
        }
    }
}
