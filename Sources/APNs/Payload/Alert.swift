// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The alert of an ordinary push: the `alert` of `aps`.
public enum Alert: Hashable, Sendable {
    /// One text, written as a string.
    case text(String)
    /// Several texts, written as an object.
    case content(AlertContent)

    /// Title, subtitle and body as an object; nil parts are omitted.
    public static func titled(_ title: AlertText?, subtitle: AlertText? = nil, body: AlertText? = nil) -> Alert {
        .content(AlertContent(title: title, subtitle: subtitle, body: body))
    }
}

extension Alert: ExpressibleByStringLiteral {
    /// One text, written as a string.
    public init(stringLiteral value: String) { self = .text(value) }
}

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

    /// Creates an alert from these parts; nil parts are omitted.
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

/// A text of an alert: given as it is, or looked up on the device in the user's language.
public enum AlertText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text itself.
    case plain(String)
    /// A key of the app's `Localizable.strings`, and the arguments for its `%@` and `%n$@`.
    case localized(key: String, arguments: [String] = [])

    /// The text itself.
    public init(stringLiteral value: String) { self = .plain(value) }
}

/// In JSON as in a Live Activity push: a string, or an object with `loc-key` and `loc-args`.
extension AlertText: Codable {
    private enum CodingKeys: String, CodingKey {
        case key = "loc-key"
        case arguments = "loc-args"
    }

    /// Decodes a text, or a key and its arguments.
    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .plain(text)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self = .localized(
            key: try container.decode(String.self, forKey: .key),
            arguments: try container.decodeIfPresent([String].self, forKey: .arguments) ?? []
        )
    }

    /// Encodes a text, or a key and its arguments.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .plain(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .localized(let key, let arguments):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(key, forKey: .key)
            if !arguments.isEmpty { try container.encode(arguments, forKey: .arguments) }
        }
    }
}
