// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel

/// Says that a notification was published to one endpoint, for an application that wants to be told when it fails.
public struct EndpointPublication: Hashable, Sendable {
    /// The application by which it was published.
    public var application: PlatformApplication.Name

    /// The endpoint.
    public var installation: InstallationID

    /// Names the application and the endpoint.
    public init(application: PlatformApplication.Name, installation: InstallationID) {
        self.application = application
        self.installation = installation
    }
}

/// That a notification that was published to one endpoint did not reach it, and never will.
public struct EndpointFailure: Hashable, Sendable {
    /// What kind of failure it is; the name is the one in which it is stored.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Apple does not know the token, or no longer.
        case token

        /// Its time was over before it could be sent.
        case expired

        /// Anything else.
        case refused
    }

    /// The notification.
    public var notification: NotificationID

    /// What kind of failure it is.
    public var kind: Kind

    /// Apple's reason, or the code of what kept it from being sent.
    public var reason: String

    /// Takes what is known of it.
    public init(notification: NotificationID, kind: Kind, reason: String) {
        self.notification = notification
        self.kind = kind
        self.reason = reason
    }

    /// Reads it from what a notification came to; `nil` when that is no failure, or the notification was called off.
    ///
    /// - Parameters:
    ///   - notification: a notification that is settled.
    ///   - counts: what it came to; with more than one target it is not one to an endpoint.
    package init?(of notification: NotificationID, counts: OutcomeCounts) {
        guard counts.total == 1 else { return nil }
        if let reason = counts.rejected.keys.first {
            self.init(
                notification: notification,
                kind: reason.concernsToken ? .token : .refused,
                reason: reason.rawValue
            )
        } else if let code = counts.failed.keys.first, code != .cancelled {
            self.init(notification: notification, kind: code == .expired ? .expired : .refused, reason: code.rawValue)
        } else {
            return nil
        }
    }
}

extension RejectionReason {
    /// Whether it is the token that Apple does not accept.
    fileprivate var concernsToken: Bool {
        self == .deviceTokenNotForTopic || self.entry?.nextStep == .pruneToken || self.entry?.nextStep == .suspectToken
    }
}
