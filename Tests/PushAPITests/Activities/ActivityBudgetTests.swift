// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("The budget of pushes of priority 10 at the API", .timeLimit(.minutes(20)))
struct ActivityBudgetTests {
    private static let path = "/v1/apps/\(TestAPI.app)/activities"
    private static let single = "\(Self.path)/lesson"

    /// Two pushes of priority 10 in an hour, and four where frequent updates are allowed.
    private static func setup(on store: TestStoreBackend = .sqlite) -> TestSetup {
        var setup = TestSetup(store: store)
        setup.configuration.activityLimits = PushBudget.Limits(hourly: 2, frequentHourly: 4)
        return setup
    }

    /// A lesson that two phones show, one of which may have frequent updates.
    private static func prepare(_ api: TestAPI) async throws {
        let body = #"{"id":"lesson","attributesType":"Lesson","contentState":{"n":1}}"#
        #expect(try await api.call(.post, Self.path, body).status == 201)
        for (number, more) in [(1, ""), (2, #","frequentUpdates":true"#)] {
            let upload = #"{"token":"\#(TestToken.hex(UInt8(number)))"\#(more)}"#
            #expect(try await api.call(.put, "\(Self.single)/tokens/phone-\(number)", upload).status == 200)
        }
    }

    /// Changes the lesson and settles what that sends.
    private static func change(_ api: TestAPI, _ number: Int, _ more: String = "") async throws -> Answer {
        let answer = try await api.call(.patch, Self.single, #"{"patch":{"n":\#(number)}\#(more)}"#)
        let delivery = FakeDelivery(store: api.store)
        while let claimed = try await delivery.claim(.urgent) { try await delivery.settle(claimed) }
        return answer
    }

    @Test(
        "is told with every change, which is sent nevertheless unless it says otherwise",
        arguments: TestStoreBackend.allCases
    )
    func warn(store: TestStoreBackend) async throws {
        try await withAPI(Self.setup(on: store)) { api async throws in
            try await Self.prepare(api)
            let first = try await Self.change(api, 2)
            let cost: JSONValue = ["downgraded": 0, "overBudget": 0, "pushes": 2, "remaining": 1, "used": 0]
            #expect(first.json["budget"] == cost)
            _ = try await Self.change(api, 3)
            let over = try await Self.change(api, 4)
            #expect(over.status == 202)
            #expect(over.json["sent"]?.number == 2)
            #expect(over.json["budget"]?["overBudget"]?.number == 1)
            #expect(over.json["budget"]?["pushes"]?.number == 2)
            #expect(over.json["budget"]?["availableAt"]?.text != nil)
            #expect(try await Self.change(api, 5, #","priority":5"#).json["budget"] == nil)
            let phones = try await api.call(.get, "\(Self.single)/participants")
            #expect(phones.json["participants"]?.elements.compactMap { $0["pushesLastHour"]?.number } == [3, 3])
        }
    }

    @Test("lowers what it has no room for", arguments: TestStoreBackend.allCases)
    func downgrade(store: TestStoreBackend) async throws {
        try await withAPI(Self.setup(on: store)) { api async throws in
            try await Self.prepare(api)
            for number in 2...3 { _ = try await Self.change(api, number, #","budget":"downgrade""#) }
            let answer = try await Self.change(api, 4, #","budget":"downgrade""#)
            #expect(answer.json["budget"]?["downgraded"]?.number == 1)
            #expect(answer.json["budget"]?["pushes"]?.number == 1)
            #expect(answer.json["sent"]?.number == 2)
        }
    }

    @Test("refuses what it has no room for, one at a time and many", arguments: TestStoreBackend.allCases)
    func refuse(store: TestStoreBackend) async throws {
        let setup = Self.setup(on: store)
        try await withAPI(setup) { api async throws in
            try await Self.prepare(api)
            for number in 2...3 { #expect(try await Self.change(api, number, #","budget":"reject""#).status == 202) }
            let refused = try await Self.change(api, 4, #","budget":"reject""#)
            #expect(refused.status == 409)
            #expect(refused.code == "push_budget_exceeded")
            #expect(refused.json["detail"]?.text?.hasPrefix("1 of its devices has no budget") == true)
            let many = #"{"changes":[{"activity":"lesson","patch":{"n":4},"budget":"reject"}]}"#
            let results = try await api.call(.post, "\(Self.path):batchUpdate", many)
            #expect(results.json["changed"]?.number == 0)
            #expect(results.json["results"]?.elements.first?["code"] == "push_budget_exceeded")
            let shown = try await api.call(.get, Self.single)
            #expect(shown.json["version"]?.number == 3)
            setup.time.advance(by: 3840)
            #expect(try await Self.change(api, 4, #","budget":"reject""#).status == 202)
        }
    }

    @Test("is estimated without a change", arguments: TestStoreBackend.allCases)
    func dryRun(store: TestStoreBackend) async throws {
        try await withAPI(Self.setup(on: store)) { api async throws in
            try await Self.prepare(api)
            let dry = try await api.call(.patch, "\(Self.single)?dryRun=true", #"{"patch":{"n":2}}"#)
            #expect(dry.status == 200)
            #expect(dry.json["dryRun"] == true)
            #expect(dry.json["sent"]?.number == 2)
            #expect(dry.json["version"]?.number == 2)
            let cost: JSONValue = ["downgraded": 0, "overBudget": 0, "pushes": 2, "remaining": 1, "used": 0]
            #expect(dry.json["budget"] == cost)
            let many = #"{"changes":[{"activity":"lesson","patch":{"n":2}},{"activity":"x","patch":{}}]}"#
            let results = try await api.call(.post, "\(Self.path):batchUpdate?dryRun=true", many)
            #expect(results.status == 200)
            #expect(results.json["dryRun"] == true)
            #expect(results.json["results"]?.elements.first?["result"]?["budget"] == cost)
            #expect(results.json["results"]?.elements.last?["code"] == "activity_not_found")
            let shown = try await api.call(.get, Self.single)
            #expect(shown.json["version"]?.number == 1)
            #expect(try await FakeDelivery(store: api.store).claim(.urgent) == nil)
            let unknown = try await api.call(.patch, "\(Self.path)/none?dryRun=true", #"{"patch":{"n":2}}"#)
            #expect(unknown.code == "activity_not_found")
            #expect(try await api.call(.patch, "\(Self.single)?dryRun=1", "{}").fields == ["query.dryRun"])
            #expect(try await api.call(.patch, Self.single, #"{"budget":"none"}"#).fields == ["budget"])
        }
    }

    @Test("goes with what is planned, and with what jobs change")
    func planned() async throws {
        try await withAPI(Self.setup()) { api async throws in
            try await Self.prepare(api)
            let plan = #"{"at":"2026-02-02T03:40:00Z","patch":{"n":9},"budget":"reject"}"#
            #expect(try await api.call(.put, "\(Self.single)/transitions/late", plan).status == 200)
            let kept = try await api.store.transitions(of: "lesson", app: TestAPI.app)
            let budget = PushBudget(policy: .reject, limits: .init(hourly: 2, frequentHourly: 4))
            #expect(kept.first?.change.budget == budget)
            let job = """
                {"schedule":{"everySeconds":60},
                 "activities":{"attributesType":"Lesson","change":{"patch":{"n":1},"budget":"downgrade"}}}
                """
            let put = try await api.call(.put, "/v1/apps/\(TestAPI.app)/jobs/ending", job)
            #expect(put.status == 201, "\(put.text)")
            #expect(put.json["activities"]?["change"]?["budget"] == "downgrade")
        }
    }
}
