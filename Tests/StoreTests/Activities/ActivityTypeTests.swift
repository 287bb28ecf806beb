// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import JSONSchema
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: activity types", .timeLimit(.minutes(5)))
struct ActivityTypeTests {
    @Test("types of activities are kept by their names, replaced and forgotten", arguments: StoreInTest.allCases)
    func keepAndForget(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let type = try ActivitySamples.registered(#"{"type":"object"}"#)
            #expect(try await store.keep(type), "whether it is new")
            let changed = ActivityType(
                app: type.app,
                name: type.name,
                contentState: nil,
                attributes: type.contentState,
                createdAt: StoreSamples.after(5),
                changedAt: StoreSamples.after(5)
            )
            #expect(try await !store.keep(changed), "whether it is new when it is told again")
            let found = try #require(try await store.activityType(type.name, of: StoreSamples.app), "the type")
            #expect(found.attributes == type.contentState, "what it says now")
            #expect(found.contentState == nil, "what it said before")
            #expect(found.createdAt == type.createdAt, "when it was registered first")
            #expect(found.changedAt == StoreSamples.after(5), "when it was registered last")
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
            #expect(names == ["A", type.name], "the types")
            let activityTypes = try await store.activityTypes(of: StoreSamples.otherApp)
            #expect(activityTypes == [], "those of an unknown app")
            #expect(try await store.deleteActivityType("A", of: StoreSamples.app), "deleting one")
            #expect(try await !store.deleteActivityType("A", of: StoreSamples.app), "deleting it again")
            #expect(try await store.activityType("A", of: StoreSamples.app) == nil, "what was deleted")
        }
    }

    @Test(
        "a change that a phone could not decode is refused with its place, and changes nothing",
        arguments: StoreInTest.allCases
    )
    func refuse(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
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
            #expect(places == ["contentState.status", "changed(", "contentState.status", "changed("], "the results")
            let state = try await store.lesson().lifecycle.contentState
            #expect(state.map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"status":"ending"}"#, "the state")
        }
    }

    @Test(
        "dates are converted as the type wants it, in what is sent and in what is kept",
        arguments: StoreInTest.allCases
    )
    func convertDates(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            _ = try await store.keep(ActivitySamples.registered(ActivitySamples.rules))
            _ = try await store.change(ActivitySamples.patch(#"{"endTime":"2026-03-01T09:00:00Z"}"#))
            let state = try await store.lesson().lifecycle.contentState
            let expected = #"{"endTime":794048400,"status":"active"}"#
            #expect(state.map { String(decoding: $0.bytes, as: UTF8.self) } == expected, "the state")
            let sent = ActivitySamples.payloads(try await store.claimOne())
            #expect(sent[0].contains(expected), "what is sent is \(sent[0])")
        }
    }

    @Test(
        "what is planned is checked when it is planned, and again when it is carried out",
        arguments: StoreInTest.allCases
    )
    func checkPlans(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.keep(ActivitySamples.registered(ActivitySamples.rules))
            let wrong = ActivitySamples.plan("wrong", seconds: -900, try ActivitySamples.patch(#"{"status":"lost"}"#))
            let refusal = await #expect(throws: ActivityRefusal.self, "planning a wrong state") {
                try await store.plan([wrong], for: ActivitySamples.lesson, of: StoreSamples.app, now: StoreSamples.now)
            }
            guard case .mismatch(let faults)? = refusal else {
                Issue.record("planning was refused as \(String(describing: refusal))")
                return
            }
            #expect(faults.map(\.field) == ["contentState.status"], "the places")
            let right = ActivitySamples.plan("right", seconds: -900, try ActivitySamples.patch(#"{"status":"ending"}"#))
            _ = try await store.plan([right], for: ActivitySamples.lesson, of: StoreSamples.app, now: StoreSamples.now)
            // The app's type has changed since.
            _ = try await store.keep(ActivitySamples.registered(#"{"properties":{"status":{"const":"active"}}}"#))
            _ = try await store.carryOutTransitions(limit: 10, now: StoreSamples.after(2700))
            let transition = try await store.transitions(of: ActivitySamples.lesson, app: StoreSamples.app).first
            #expect(transition?.state == .skipped, "what became of it")
            let entry = try #require(try await store.story().last, "the entry")
            #expect(entry.kind == .transitionSkipped, "the kind of the entry")
            #expect(entry.detail?.contains("contentState.status") == true, "it says \(entry.detail ?? "nothing")")
            let lifecycleVersion = try await store.lesson().lifecycle.version
            #expect(lifecycleVersion == 1, "the version")
        }
    }
}
