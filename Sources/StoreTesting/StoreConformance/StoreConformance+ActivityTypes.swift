// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import JSONSchema
package import PushModel
import PushStore

extension StoreConformance {
    static let activityTypes = [
        Check("types of activities are kept by their names, replaced and forgotten") { store in
            try await store.addSampleApp()
            let type = try ActivitySamples.registered(#"{"type":"object"}"#)
            try expectEqual(try await store.keep(type), true, "whether it is new")
            let changed = ActivityType(
                app: type.app,
                name: type.name,
                contentState: nil,
                attributes: type.contentState,
                createdAt: StoreSamples.after(5),
                changedAt: StoreSamples.after(5)
            )
            try expectEqual(try await store.keep(changed), false, "whether it is new when it is told again")
            let found = try require(try await store.activityType(type.name, of: StoreSamples.app), "the type")
            try expectEqual(found.attributes, type.contentState, "what it says now")
            try expectEqual(found.contentState, nil, "what it said before")
            try expectEqual(found.createdAt, type.createdAt, "when it was registered first")
            try expectEqual(found.changedAt, StoreSamples.after(5), "when it was registered last")
            let other = ActivityType(
                app: type.app,
                name: "A",
                contentState: nil,
                attributes: nil,
                createdAt: StoreSamples.now,
                changedAt: StoreSamples.now
            )
            _ = try await store.keep(other)
            let names = try await store.activityTypes(of: StoreSamples.app).map(\.name)
            try expectEqual(names, ["A", type.name], "the types")
            try expectEqual(try await store.activityTypes(of: StoreSamples.otherApp), [], "those of an unknown app")
            try expectEqual(try await store.deleteActivityType("A", of: StoreSamples.app), true, "deleting one")
            try expectEqual(try await store.deleteActivityType("A", of: StoreSamples.app), false, "deleting it again")
            try expectEqual(try await store.activityType("A", of: StoreSamples.app), nil, "what was deleted")
        },
        Check("a change that a phone could not decode is refused with its place, and changes nothing") { store in
            try await store.addLesson(phones: [1])
            _ = try await store.keep(ActivitySamples.registered(ActivitySamples.rules))
            _ = try await store.keep(
                ActivitySamples.registered(#"{"additionalProperties":false}"#, name: "OtherAttributes")
            )
            let orders = try [
                ActivitySamples.patch(#"{"status":"lost"}"#), ActivitySamples.state(#"{"status":"ending"}"#),
                ActivitySamples.patch(#"{"status":null}"#), ActivityChange(alert: ActivitySamples.alert),
            ].map { ActivityOrder(activity: ActivitySamples.lesson, change: $0) }
            let results = try await store.change(orders, of: StoreSamples.app, now: StoreSamples.now)
            let places = results.map { result -> String in
                guard case .refused(.mismatch(let faults)) = result else { return "\(result)".prefix(8).description }
                return faults.map(\.field).joined(separator: " ")
            }
            try expectEqual(
                places,
                ["contentState.status", "changed(", "contentState.status", "changed("],
                "the results"
            )
            let state = try await store.lesson().lifecycle.contentState
            try expectEqual(
                state.map { String(decoding: $0.bytes, as: UTF8.self) },
                #"{"status":"ending"}"#,
                "the state"
            )
        },
        Check("dates are converted as the type wants it, in what is sent and in what is kept") { store in
            try await store.addLesson(phones: [1])
            _ = try await store.keep(ActivitySamples.registered(ActivitySamples.rules))
            _ = try await store.change(ActivitySamples.patch(#"{"endTime":"2026-03-01T09:00:00Z"}"#))
            let state = try await store.lesson().lifecycle.contentState
            let expected = #"{"endTime":794048400,"status":"active"}"#
            try expectEqual(state.map { String(decoding: $0.bytes, as: UTF8.self) }, expected, "the state")
            let sent = ActivitySamples.payloads(try await store.claimOne())
            try expect(sent[0].contains(expected), "what is sent is \(sent[0])")
        },
        Check("what is planned is checked when it is planned, and again when it is carried out") { store in
            try await store.addLesson()
            _ = try await store.keep(ActivitySamples.registered(ActivitySamples.rules))
            let wrong = ActivitySamples.plan("wrong", seconds: -900, try ActivitySamples.patch(#"{"status":"lost"}"#))
            let planning = try await store.plan(
                [wrong],
                for: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            )
            guard case .refused(.mismatch(let faults))? = planning else {
                throw ConformanceFailure(message: "planning came to \(String(describing: planning))", location: "types")
            }
            try expectEqual(faults.map(\.field), ["contentState.status"], "the places")
            let right = ActivitySamples.plan("right", seconds: -900, try ActivitySamples.patch(#"{"status":"ending"}"#))
            _ = try await store.plan([right], for: ActivitySamples.lesson, of: StoreSamples.app, now: StoreSamples.now)
            // The app's type has changed since.
            _ = try await store.keep(ActivitySamples.registered(#"{"properties":{"status":{"const":"active"}}}"#))
            _ = try await store.carryOutTransitions(limit: 10, now: StoreSamples.after(2700))
            let transition = try await store.transitions(of: ActivitySamples.lesson, app: StoreSamples.app).first
            try expectEqual(transition?.state, .skipped, "what became of it")
            let entry = try require(try await store.story().last, "the entry")
            try expectEqual(entry.kind, .transitionSkipped, "the kind of the entry")
            try expect(entry.detail?.contains("contentState.status") == true, "it says \(entry.detail ?? "nothing")")
            try expectEqual(try await store.lesson().lifecycle.version, 1, "the version")
        },
    ]
}

extension ActivitySamples {
    /// What the content of lessons has to look like.
    package static let rules = """
        {"type":"object","required":["status"],"additionalProperties":false,"properties":{
        "status":{"enum":["active","ending"]},"endTime":{"format":"swift-date","adapt":true}}}
        """

    /// The type of lessons, or another one.
    package static func registered(_ rules: String, name: AttributesType = type) throws -> ActivityType {
        ActivityType(
            app: StoreSamples.app,
            name: name,
            contentState: try JSONSchema(json: Array(rules.utf8)),
            attributes: nil,
            createdAt: StoreSamples.now,
            changedAt: StoreSamples.now
        )
    }
}
