// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What a push certificate is to say.
public struct PushCertificateRequest: Sendable, Hashable {
    /// A topic in the certificate's list, with Apple's word for its kind.
    public struct ListedTopic: Sendable, Hashable {
        /// The topic: the bundle identifier with or without a suffix.
        public var topic: String
        /// `app`, `voip` or `complication`.
        public var kind: String

        /// A topic of a kind.
        public init(_ topic: String, kind: String = "app") {
            self.topic = topic
            self.kind = kind
        }
    }

    /// The app: the UID of the subject.
    public var bundleID: String
    /// The list of the universal extension; empty leaves the extension out, and the subject names the only topic.
    public var topics: [ListedTopic]
    /// The list of the VoIP extension; empty leaves the extension out.
    ///
    /// Default: empty, since the universal list has them.
    public var voipTopics: [String]
    /// Where the certificate may be used.
    ///
    /// Empty makes a certificate that is none for push.
    public var environments: Set<APNsEnvironment>
    /// For how long, from an hour ago on.
    ///
    /// Default: 365 days.
    public var lifetime: Duration

    /// A certificate for an app.
    ///
    /// - Parameters:
    ///   - bundleID: the app.
    ///   - topics: default: the app, its VoIP and its complication topic, as in Apple's universal certificates.
    ///   - voipTopics: default: none in an extension of their own.
    ///   - environments: default: both.
    ///   - lifetime: default: 365 days.
    public init(
        bundleID: String,
        topics: [ListedTopic]? = nil,
        voipTopics: [String] = [],
        environments: Set<APNsEnvironment> = Set(APNsEnvironment.allCases),
        lifetime: Duration = .seconds(365 * 24 * 3600)
    ) {
        self.bundleID = bundleID
        self.topics =
            topics ?? [
                ListedTopic(bundleID),
                ListedTopic(bundleID + ".voip", kind: "voip"),
                ListedTopic(bundleID + ".complication", kind: "complication"),
            ]
        self.voipTopics = voipTopics
        self.environments = environments
        self.lifetime = lifetime
    }
}
