// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    /// What the catalogue says of the codes of broadcast channels.
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
