// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The `alert` of a Live Activity push.
///
/// Other than in an ordinary push, localized texts are nested objects and the sound stands inside the alert.
public struct LiveActivityAlert: Hashable, Sendable, Codable {
    /// `title`: a string or `{loc-key, loc-args}`.
    public var title: AlertText
    /// `body`: a string or `{loc-key, loc-args}`.
    public var body: AlertText
    /// `sound`: a file name or `default`; nil plays none.
    public var sound: String?

    /// An alert of these parts.
    public init(title: AlertText, body: AlertText, sound: String? = nil) {
        self.title = title
        self.body = body
        self.sound = sound
    }
}
