// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// A change of an activity that is planned ahead.
struct TransitionRequest: Sendable {
    var time: TransitionTime
    var change: ActivityChange
    var misfire: MisfirePolicy

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var draft = TransitionDraft()
        self = try JSONReader.read(
            body,
            members: TransitionDraft.members
        ) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader, at: .root)
        }
    }

    /// Reads transitions by their names.
    ///
    /// - Returns: those that can be read; what is wrong with the others is noted.
    static func transitions(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [TransitionKey: TransitionRequest] {
        var found: [TransitionKey: TransitionRequest] = [:]
        try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
            guard let key = TransitionKey(rawValue: name) else {
                reader.faults.add(path, expected: TransitionKey.rule, got: "\(name.utf8.count) bytes")
                return try reader.skip()
            }
            var draft = TransitionDraft()
            let isObject = try reader.object(
                path,
                members: TransitionDraft.members
            ) { reader, member, path throws(JSONSyntaxError) in
                try draft.read(member, &reader, path)
            }
            if isObject { found[key] = draft.finish(&reader, at: path) }
        }
        return found
    }

    init(time: TransitionTime, change: ActivityChange, misfire: MisfirePolicy) {
        self.time = time
        self.change = change
        self.misfire = misfire
    }

    /// What is planned under a name, with the budgets that are configured.
    func plan(_ key: TransitionKey, within limits: PushBudget.Limits) -> TransitionPlan {
        TransitionPlan(key: key, time: self.time, change: self.change.within(limits), misfire: self.misfire)
    }
}
