// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is told of a transition while it is read.
struct TransitionDraft: Sendable {
    static let members = ["at", "instant", "offset", "misfire", "lateWithin"] + Self.changeMembers

    /// What may change by itself: instants are told, never planned.
    private static let changeMembers = ActivityChangeDraft.members.filter { $0 != "instants" }

    /// How far from an instant a transition may lie, in seconds: a week.
    private static let offsets = -604_800...604_800

    /// What becomes of a transition that was missed.
    enum Misfire: String, CaseIterable {
        case fold
        case skip
        case late
    }

    private var at: Date?
    private var instant: InstantName?
    private var offset: Int?
    private var policy: Misfire?
    private var limit: Int?
    private var draft = ActivityChangeDraft()

    /// Reads the value of one of the members; whatever is wrong is noted.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "at": self.at = try reader.value(path, Timestamp.parse)
        case "instant": self.instant = try reader.value(path, InstantName.init(validating:))
        case "offset": self.offset = try reader.integer(path, in: Self.offsets)
        case "misfire": self.policy = try reader.oneOf(Misfire.self, path)
        case "lateWithin": self.limit = try reader.integer(path, in: ActivityChangeDraft.seconds)
        default: try self.draft.read(member, &reader, path)
        }
    }

    /// Notes what does not belong together.
    ///
    /// Returns `nil` when it says no time.
    func finish(_ reader: inout JSONReader, at path: FieldPath) -> TransitionRequest? {
        let change = self.draft.finish(&reader, at: path)
        if !change.isVisible, reader.faults.count == 0 {
            reader.faults.add(path, expected: "something that changes what phones show", got: "nothing")
        }
        let misfire = self.misfire(&reader, at: path)
        return self.time(&reader, at: path).map { TransitionRequest(time: $0, change: change, misfire: misfire) }
    }

    private func misfire(_ reader: inout JSONReader, at path: FieldPath) -> MisfirePolicy {
        if self.limit != nil, self.policy != .late {
            let member = path.member("lateWithin")
            reader.faults.add(member, expected: "no such member unless 'misfire' is 'late'", got: "one")
        }
        switch self.policy {
        case nil, .fold: return .fold
        case .skip: return .skip
        case .late: return .late(within: self.limit ?? ActivityLimit.runningSeconds)
        }
    }

    private func time(_ reader: inout JSONReader, at path: FieldPath) -> TransitionTime? {
        guard (self.at == nil) != (self.instant == nil), self.at == nil || self.offset == nil else {
            guard !reader.faults.concern(path.member("at")), !reader.faults.concern(path.member("instant")) else {
                return nil
            }
            let rule = "either 'at', or 'instant' with or without 'offset'"
            reader.faults.add(path, expected: rule, got: self.at == nil ? "neither" : "both")
            return nil
        }
        return self.at.map { .at($0) } ?? self.instant.map { .relative(to: $0, seconds: self.offset ?? 0) }
    }
}
