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

@Suite("Stores: activity types", .timeLimit(.minutes(20)))
struct ActivityTypeTests {
    @Test("types of activities are kept by their names, replaced and forgotten", arguments: TestStoreBackend.allCases)
    func keepAndForget(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let type = try ActivityFixtures.registered(#"{"type":"object"}"#)
            #expect(try await store.keep(type), "whether it is new")
            let changed = ActivityType(
                app: type.app,
                name: type.name,
                contentState: nil,
                attributes: type.contentState,
                createdAt: StoreFixtures.after(5),
                updatedAt: StoreFixtures.after(5)
            )
            #expect(try await !store.keep(changed), "whether it is new when it is told again")
            let found = try #require(try await store.activityType(type.name, of: StoreFixtures.app), "the type")
            #expect(found.attributes == type.contentState, "what it says now")
            #expect(found.contentState == nil, "what it said before")
            #expect(found.createdAt == type.createdAt, "when it was registered first")
            #expect(found.updatedAt == StoreFixtures.after(5), "when it was registered last")
            let other = ActivityType(
                app: type.app,
                name: "A",
                contentState: nil,
                attributes: nil,
                createdAt: StoreFixtures.now,
                updatedAt: StoreFixtures.now
            )
            _ = try await store.keep(other)
            let names = try await store.activityTypes(of: StoreFixtures.app).map(\.name)
            #expect(names == ["A", type.name], "the types")
            let activityTypes = try await store.activityTypes(of: StoreFixtures.otherApp)
            #expect(activityTypes == [], "those of an unknown app")
            #expect(try await store.deleteActivityType("A", of: StoreFixtures.app), "deleting one")
            #expect(try await !store.deleteActivityType("A", of: StoreFixtures.app), "deleting it again")
            #expect(try await store.activityType("A", of: StoreFixtures.app) == nil, "what was deleted")
        }
    }

    @Test(
        "a change that a phone could not decode is refused with its place, and changes nothing",
        arguments: TestStoreBackend.allCases
    )
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            _ = try await store.keep(ActivityFixtures.registered(ActivityFixtures.rules))
            _ = try await store.keep(
                ActivityFixtures.registered(#"{"additionalProperties":false}"#, name: "OtherAttributes")
            )
            let orders = try [
                ActivityFixtures.patch(#"{"status":"lost"}"#), ActivityFixtures.state(#"{"status":"ending"}"#),
                ActivityFixtures.patch(#"{"status":null}"#), ActivityChange(alert: ActivityFixtures.alert),
            ].map { ActivityUpdate(activity: ActivityFixtures.lesson, change: $0) }
            let results = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.now)
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
        arguments: TestStoreBackend.allCases
    )
    func convertDates(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            _ = try await store.keep(ActivityFixtures.registered(ActivityFixtures.rules))
            _ = try await store.change(ActivityFixtures.patch(#"{"endTime":"2026-03-01T09:00:00Z"}"#))
            let state = try await store.lesson().lifecycle.contentState
            let expected = #"{"endTime":794048400,"status":"active"}"#
            #expect(state.map { String(decoding: $0.bytes, as: UTF8.self) } == expected, "the state")
            let sent = ActivityFixtures.payloads(try await store.claimOne())
            #expect(sent[0].contains(expected), "what is sent is \(sent[0])")
        }
    }

    @Test(
        "what is planned is checked when it is planned, and again when it is carried out",
        arguments: TestStoreBackend.allCases
    )
    func checkPlans(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.keep(ActivityFixtures.registered(ActivityFixtures.rules))
            let wrong = ActivityFixtures.plan("wrong", seconds: -900, try ActivityFixtures.patch(#"{"status":"lost"}"#))
            let refusal = await #expect(throws: ActivityError.self, "planning a wrong state") {
                try await store.plan(
                    [wrong],
                    for: ActivityFixtures.lesson,
                    of: StoreFixtures.app,
                    now: StoreFixtures.now
                )
            }
            guard case .mismatch(let faults)? = refusal else {
                Issue.record("planning was refused as \(String(describing: refusal))")
                return
            }
            #expect(faults.map(\.field) == ["contentState.status"], "the places")
            let right = ActivityFixtures.plan(
                "right",
                seconds: -900,
                try ActivityFixtures.patch(#"{"status":"ending"}"#)
            )
            _ = try await store.plan(
                [right],
                for: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.now
            )
            // The app's type has changed since.
            _ = try await store.keep(ActivityFixtures.registered(#"{"properties":{"status":{"const":"active"}}}"#))
            _ = try await store.carryOutTransitions(limit: 10, now: StoreFixtures.after(2700))
            let transition = try await store.transitions(of: ActivityFixtures.lesson, app: StoreFixtures.app).first
            #expect(transition?.state == .skipped, "what became of it")
            let entry = try #require(try await store.story().last, "the entry")
            #expect(entry.kind == .transitionSkipped, "the kind of the entry")
            #expect(entry.detail?.contains("contentState.status") == true, "it says \(entry.detail ?? "nothing")")
            let lifecycleVersion = try await store.lesson().lifecycle.version
            #expect(lifecycleVersion == 1, "the version")
        }
    }
}
