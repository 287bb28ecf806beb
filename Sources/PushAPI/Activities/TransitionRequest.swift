// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A change of an activity that is planned ahead.
struct TransitionRequest: Sendable {
    static let members = ["at", "instant", "offset", "misfire", "lateWithin"] + Self.changeMembers

    /// What may change by itself: instants are told, never planned.
    private static let changeMembers = ActivityChangeDraft.members.filter { $0 != "instants" }

    /// How far from an instant a transition may lie, in seconds: a week.
    private static let offsets = -604_800...604_800

    var time: TransitionTime
    var change: ActivityChange
    var misfire: MisfirePolicy

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var at: Date?
        var instant: InstantName?
        var offset: Int?
        var policy: Misfire?
        var limit: Int?
        var draft = ActivityChangeDraft()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "at": at = try reader.value(path, Timestamp.parse)
            case "instant": instant = try reader.value(path, InstantName.init(validating:))
            case "offset": offset = try reader.integer(path, in: Self.offsets)
            case "misfire": policy = try reader.oneOf(Misfire.self, path)
            case "lateWithin": limit = try reader.integer(path, in: ActivityChangeDraft.seconds)
            default: try draft.read(member, &reader, path)
            }
        } finish: { reader in
            let change = draft.finish(&reader)
            if !change.isVisible, reader.faults.count == 0 {
                reader.faults.add(.root, expected: "something that changes what phones show", got: "nothing")
            }
            let misfire = Self.misfire(policy, limit: limit, &reader)
            return Self.time(at, instant, offset, &reader).map {
                TransitionRequest(time: $0, change: change, misfire: misfire)
            }
        }
    }

    private init(time: TransitionTime, change: ActivityChange, misfire: MisfirePolicy) {
        self.time = time
        self.change = change
        self.misfire = misfire
    }

    /// What becomes of a transition that was missed.
    enum Misfire: String, CaseIterable {
        case fold
        case skip
        case late
    }

    private static func misfire(_ policy: Misfire?, limit: Int?, _ reader: inout JSONReader) -> MisfirePolicy {
        if limit != nil, policy != .late {
            let path = FieldPath.root.member("lateWithin")
            reader.faults.add(path, expected: "no such member unless 'misfire' is 'late'", got: "one")
        }
        switch policy {
        case nil, .fold: return .fold
        case .skip: return .skip
        case .late: return .late(within: limit ?? ActivityLimit.runningSeconds)
        }
    }

    private static func time(
        _ at: Date?,
        _ instant: InstantName?,
        _ offset: Int?,
        _ reader: inout JSONReader
    ) -> TransitionTime? {
        guard (at == nil) != (instant == nil), at == nil || offset == nil else {
            guard !reader.faults.concern(.root.member("at")), !reader.faults.concern(.root.member("instant")) else {
                return nil
            }
            let rule = "either 'at', or 'instant' with or without 'offset'"
            reader.faults.add(.root, expected: rule, got: at == nil ? "neither" : "both")
            return nil
        }
        return at.map { .at($0) } ?? instant.map { .relative(to: $0, seconds: offset ?? 0) }
    }
}
