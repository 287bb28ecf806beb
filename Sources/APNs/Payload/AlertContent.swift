// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The `alert` object of an ordinary push.
///
/// See <https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification>.
public struct AlertContent: Hashable, Sendable {
    /// `title`, or `title-loc-key` with `title-loc-args`.
    public var title: AlertText?
    /// `subtitle`, or `subtitle-loc-key` with `subtitle-loc-args`.
    public var subtitle: AlertText?
    /// `body`, or `loc-key` with `loc-args`.
    public var body: AlertText?
    /// `launch-image`: the image or storyboard shown while the app launches.
    public var launchImage: String?
    /// `summary-arg`: read by iOS 12 to 14 only.
    public var summaryArgument: String?
    /// `summary-arg-count`: read by iOS 12 to 14 only.
    public var summaryArgumentCount: Int?
    /// `action-loc-key`: the title of the action button, read by old systems.
    public var actionKey: String?
    /// `action`: the title of the action button of Safari push notifications.
    public var action: String?

    /// An alert of these parts; what is nil is left out.
    public init(
        title: AlertText? = nil,
        subtitle: AlertText? = nil,
        body: AlertText? = nil,
        launchImage: String? = nil,
        summaryArgument: String? = nil,
        summaryArgumentCount: Int? = nil,
        actionKey: String? = nil,
        action: String? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.launchImage = launchImage
        self.summaryArgument = summaryArgument
        self.summaryArgumentCount = summaryArgumentCount
        self.actionKey = actionKey
        self.action = action
    }
}
