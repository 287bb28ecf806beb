// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import JSONSchema

/// Which Live Activities a job changes, and how.
public struct JobActivities: Hashable, Sendable, Codable {
    /// How far from a run an instant may lie, in seconds: 30 days.
    public static let offsets = -2_592_000...2_592_000

    /// A named instant that lies in a span about the beginning of the run.
    public struct Window: Hashable, Sendable, Codable {
        public var instant: InstantName

        /// How many seconds behind the run's beginning the span begins; a negative number is before it.
        public var fromSeconds: Int

        /// The end of the time span, in seconds after the start of the run; instants at or after it do not match.
        public var untilSeconds: Int

        public init(instant: InstantName, fromSeconds: Int = 0, untilSeconds: Int) {
            self.instant = instant
            self.fromSeconds = fromSeconds
            self.untilSeconds = untilSeconds
        }

        public func span(about time: Date) -> Range<Date> {
            let start = time.addingTimeInterval(Double(self.fromSeconds))
            return start..<max(start, time.addingTimeInterval(Double(self.untilSeconds)))
        }
    }

    public var attributesType: AttributesType

    /// Only activities in this state; `nil` selects all that have not ended.
    public var state: ActivityLifecycle.State?

    /// Only those with an instant in a span, or `nil`.
    public var window: Window?

    /// Only those whose content state has each of these members with the same value; `null` fits a member that is
    /// absent.
    public var condition: RawJSONObject?

    /// The change; its instants are ignored.
    public var change: ActivityChange

    public init(
        attributesType: AttributesType,
        state: ActivityLifecycle.State? = nil,
        window: Window? = nil,
        condition: RawJSONObject? = nil,
        change: ActivityChange
    ) {
        self.attributesType = attributesType
        self.state = state
        self.window = window
        self.condition = condition
        self.change = change
    }

    /// Whether the job must change an activity that matches the other conditions.
    ///
    /// If the content state would not change, the activity is skipped, with the alert and all other values, unless the
    /// change ends it. So a job can find the same activity several times, and changes it once.
    ///
    /// Values that the schema converts are compared in their stored form.
    public func concerns(_ lifecycle: ActivityLifecycle, schema: JSONSchema? = nil) -> Bool {
        guard !lifecycle.state.isOver, self.state.map({ $0 == lifecycle.state }) ?? true else { return false }
        let state = lifecycle.contentState.flatMap { try? JSONValue(json: $0.bytes) }
        if let condition, let wanted = try? JSONValue(json: condition.bytes), case .object(let members) = wanted {
            for (name, value) in members where !(state?[name] ?? .null).isSame(as: value) { return false }
        }
        guard self.change.end == nil, let state, let change = self.change.contentState else { return true }
        guard let new = Self.state(state, after: change) else { return true }
        let converted = schema.flatMap { try? $0.converted(new) } ?? new
        return !converted.isSame(as: state)
    }

    /// The content state after a change, before any conversion.
    private static func state(_ state: JSONValue, after change: ActivityChange.ContentState) -> JSONValue? {
        switch change {
        case .replaced(let fragment): try? JSONValue(json: fragment.bytes)
        case .patched(let fragment): (try? JSONValue(json: fragment.bytes)).map { state.merging(patch: $0) }
        }
    }
}

extension JSONValue {
    /// Whether both are the same value, however their numbers are written.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .double(let right)), (.double(let right), .integer(let left)):
            Double(left) == right
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { right[$0.key].map($0.value.isSame) ?? false }
        default: self == other
        }
    }
}
