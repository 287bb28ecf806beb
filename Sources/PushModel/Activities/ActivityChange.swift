// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A change of an activity; `nil` keeps a value.
public struct ActivityChange: Hashable, Sendable, Codable {
    /// The change of the content state.
    public enum ContentState: Hashable, Sendable, Codable {
        /// This is the state now, byte for byte.
        case replaced(RawJSONObject)

        /// The state is changed by a merge patch (RFC 7396): named members change, `null` removes one.
        case patched(RawJSONObject)
    }

    /// When the content counts as out of date.
    public enum StaleDate: Hashable, Sendable, Codable {
        case never
        case at(Date)

        /// This number of seconds after the change.
        case after(seconds: Int)
    }

    /// When an ended activity leaves the Lock Screen.
    public enum Dismissal: Hashable, Sendable, Codable {
        /// When the system likes, within 4 hours.
        case standard

        case immediate

        /// At that time, or 4 hours after the end if that is earlier: the system does it by then.
        case at(Date)

        /// This number of seconds after the end, at most 4 hours.
        case after(seconds: Int)
    }

    /// The new content state; `nil` keeps it.
    public var contentState: ContentState?

    /// The alert; `nil` changes the activity without an alert.
    public var alert: LiveActivityAlert?

    /// The stale date of the content; `nil` keeps the former one.
    public var staleDate: StaleDate?

    /// The relevance score: the system shows the activity with the highest score first; `nil` keeps the former one.
    public var relevanceScore: Double?

    /// `immediate` counts towards Apple's hourly budget, `powerConsiderate` does not.
    public var priority: Priority

    /// The limits for pushes of priority 10, and the policy for pushes over them; `nil` warns at the default limits.
    public var budget: PushBudget?

    /// Ends the activity, with the content state as it is by then.
    public var end: Dismissal?

    /// Named instants of the activity's data that are new or have moved; `nil` forgets one.
    public var instants: [InstantName: Date?]

    public init(
        contentState: ContentState? = nil,
        alert: LiveActivityAlert? = nil,
        staleDate: StaleDate? = nil,
        relevanceScore: Double? = nil,
        priority: Priority = .immediate,
        budget: PushBudget? = nil,
        end: Dismissal? = nil,
        instants: [InstantName: Date?] = [:]
    ) {
        self.contentState = contentState
        self.alert = alert
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.priority = priority
        self.budget = budget
        self.end = end
        self.instants = instants
    }

    /// Whether devices receive the change; a change of only instants is not sent.
    public var isVisible: Bool {
        self.contentState != nil || self.alert != nil || self.staleDate != nil || self.relevanceScore != nil
            || self.end != nil
    }
}

/// The latest alert of an activity: each device shows it once, even if the push with it was superseded.
public struct ActivityAlert: Hashable, Sendable, Codable {
    public let alert: LiveActivityAlert

    /// The version that introduced the alert; devices that were sent this version have shown it.
    public let version: Int

    public let priority: Priority

    public init(alert: LiveActivityAlert, version: Int, priority: Priority) {
        self.alert = alert
        self.version = version
        self.priority = priority
    }
}

extension ActivityChange {
    /// The initial content, as a change.
    package init(beginning activity: Activity) {
        let lifecycle = activity.lifecycle
        self.init(
            contentState: lifecycle.contentState.map { .replaced($0) },
            alert: activity.startAlert,
            staleDate: lifecycle.staleDate.map { .at(Date(timeIntervalSince1970: Double($0))) },
            relevanceScore: lifecycle.relevanceScore,
            priority: lifecycle.priority
        )
    }

    /// The changes of an entry of a timeline as a JSON array, as many as fit; `nil` without any.
    package static func told(_ changes: [ActivityChange]) -> String? {
        var text: [UInt8] = []
        for change in changes {
            let told = change.told(upTo: 1024)
            guard text.count + told.count <= 4096 else { break }
            text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
            text += told
        }
        if text.isEmpty { return nil }
        text.append(UInt8(ascii: "]"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The change as the API takes it: an object in JSON, without instants.
    ///
    /// If the text has more than `limit` bytes, it omits the content state, and then the alert too if that is not
    /// enough. `omittedBytes` is the size of the omitted parts.
    package func told(upTo limit: Int) -> [UInt8] {
        var state: [UInt8] = []
        switch self.contentState {
        case nil: break
        case .replaced(let fragment), .patched(let fragment): state = fragment.bytes
        }
        let whole = self.told(state, self.alert, omitting: 0)
        if whole.count <= limit { return whole }
        let short = self.told([], self.alert, omitting: state.count)
        if short.count <= limit { return short }
        return self.told([], nil, omitting: whole.count)
    }

    private func told(_ state: [UInt8], _ alert: LiveActivityAlert?, omitting omitted: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if !state.isEmpty {
            if case .patched = self.contentState { writer.key("patch") } else { writer.key("contentState") }
            writer.raw(state)
        }
        if let alert {
            writer.key("alert")
            writer.alert(alert)
        }
        switch self.staleDate {
        case nil: break
        case .never: writer.member("staleDate", "never")
        case .at(let date): writer.member("staleDate", date)
        case .after(let seconds): writer.member("staleAfterSeconds", seconds)
        }
        if let relevanceScore, relevanceScore.isFinite {
            writer.key("relevanceScore")
            writer.double(relevanceScore)
        }
        writer.member("priority", self.priority.rawValue)
        if let policy = self.budget?.policy, policy != .warn { writer.member("budget", policy.rawValue) }
        if let end {
            writer.key("end")
            writer.beginObject()
            switch end {
            case .standard: break
            case .immediate: writer.member("dismissal", "immediate")
            case .at(let date): writer.member("at", date)
            case .after(let seconds): writer.member("afterSeconds", seconds)
            }
            writer.endObject()
        }
        if omitted > 0 { writer.member("omittedBytes", omitted) }
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ text: String) {
        self.key(name)
        self.string(text)
    }

    fileprivate mutating func member(_ name: String, _ number: Int) {
        self.key(name)
        self.integer(number)
    }

    fileprivate mutating func member(_ name: String, _ date: Date) {
        self.member(name, ISO8601Timestamp.text(date))
    }

    fileprivate mutating func alert(_ alert: LiveActivityAlert) {
        self.beginObject()
        self.key("title")
        self.text(alert.title)
        self.key("body")
        self.text(alert.body)
        if let sound = alert.sound { self.member("sound", sound) }
        self.endObject()
    }

    private mutating func text(_ text: AlertText) {
        switch text {
        case .plain(let text): self.string(text)
        case .localized(let key, let arguments):
            self.beginObject()
            self.member("key", key)
            if !arguments.isEmpty {
                self.key("arguments")
                self.beginArray()
                for argument in arguments { self.string(argument) }
                self.endArray()
            }
            self.endObject()
        }
    }
}
