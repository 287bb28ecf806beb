// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    /// What the catalogue says of the codes of topics.
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
}
