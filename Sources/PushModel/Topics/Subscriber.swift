// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Who is subscribed to a topic, once at most.
public enum Subscriber: Hashable, Sendable {
    /// A device; its subscriptions go when it is removed.
    case device(AppID, InstallationID)

    /// A user: whichever devices of the app say that they are this user's when something is published.
    case user(AppID, UserID)

    /// A URL of the scheme `http` or `https` that is posted to, at most 2048 bytes; it belongs to no app.
    case url(String)

    /// The app, if there is one.
    public var app: AppID? {
        switch self {
        case .device(let app, _), .user(let app, _): app
        case .url: nil
        }
    }
}

extension Subscriber: CustomStringConvertible {
    /// What it is, without the path and the query of a URL, which may be secrets.
    public var description: String {
        switch self {
        case .device(let app, let installation): "device '\(installation)' of app '\(app)'"
        case .user(let app, let user): "user '\(user)' of app '\(app)'"
        case .url(let text): "a URL of \(text.utf8.count) bytes"
        }
    }
}
