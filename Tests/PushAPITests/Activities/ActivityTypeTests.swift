// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Types of Live Activities", .timeLimit(.minutes(20)))
struct ActivityTypeTests {
    private static let types = "/v1/apps/\(TestAPI.app)/activity-types"
    private static let activities = "/v1/apps/\(TestAPI.app)/activities"
    private static let rules = """
        {"contentState":{"type":"object","required":["status"],"properties":{
          "status":{"enum":["active","ending"]},"endTime":{"type":"number","format":"swift-date"}}},
         "attributes":{"type":"object","required":["childId"]}}
        """

    private func register(_ api: TestAPI, _ body: String = rules) async throws {
        let answer = try await api.call(.put, "\(Self.types)/LessonAttributes", body)
        #expect(answer.status == 201, "\(answer.text)")
    }

    private func places(_ answer: Answer) -> [String] {
        answer.json["errors"]?.elements.compactMap { $0["field"]?.text } ?? []
    }

    @Test("are registered, shown as they were told, listed and forgotten", arguments: TestStoreBackend.allCases)
    func life(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await self.register(api)
            let shown = try await api.call(.get, "\(Self.types)/LessonAttributes")
            #expect(shown.json["attributes"]?["required"] == ["childId"])
            let again = try await api.call(.put, "\(Self.types)/LessonAttributes", #"{"contentState":{}}"#)
            #expect(again.status == 200)
            #expect(again.json["attributes"] == nil)
            let listed = try await api.call(.get, Self.types)
            #expect(listed.json["types"]?.elements.compactMap { $0["name"]?.text } == ["LessonAttributes"])
            #expect(try await api.call(.delete, "\(Self.types)/LessonAttributes").status == 204)
            let gone = try await api.call(.get, "\(Self.types)/LessonAttributes")
            #expect(gone.code == "activity_type_not_found")
        }
    }

    @Test("are replaced when what is stored of them is corrupt", arguments: TestStoreBackend.allCases)
    func damaged(on store: TestStoreBackend) async throws {
        let error = StoreError(code: .corrupt, message: "The stored schema cannot be read.")
        let faults = StoreFaults(of: "activityType(_:of:)", with: error)
        let setup = TestSetup(store: store, wrap: { ProbedStore($0, failing: faults) })
        try await withAPI(setup) { api async throws in
            try await self.register(api)
            #expect(try await api.call(.get, "\(Self.types)/LessonAttributes").status >= 500)
            let again = try await api.call(.put, "\(Self.types)/LessonAttributes", #"{"contentState":{}}"#)
            #expect(again.status == 200, "\(again.text)")
        }
    }

    @Test("are refused with the places of what is not known")
    func refused() async throws {
        try await withAPI { api async throws in
            let body = #"{"contentState":{"properties":{"a":{"pattern":"x"}}},"attributes":{"type":"text"}}"#
            let answer = try await api.call(.put, "\(Self.types)/T", body)
            #expect(answer.status == 422)
            #expect(self.places(answer) == ["contentState.properties.a.pattern", "attributes.type"])
            #expect(try await api.call(.get, Self.types).json["types"] == [])
        }
    }

    @Test(
        "hold what activities begin with, and what comes of changes, to their schema",
        arguments: TestStoreBackend.allCases
    )
    func checked(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await self.register(api)
            let start = #""id":"l","attributesType":"LessonAttributes","attributes":{"childId":1}"#
            let wrong = try await api.call(
                .post,
                Self.activities,
                #"{\#(start),"contentState":{"status":"active","endTime":1772355600}}"#
            )
            #expect(wrong.status == 422)
            #expect(wrong.code == "content_mismatch")
            #expect(self.places(wrong) == ["contentState.endTime"])
            #expect(wrong.text.contains("794048400"), "\(wrong.text)")
            #expect(wrong.text.contains("2057"), "\(wrong.text)")
            let bare =
                #"{"id":"l","attributesType":"LessonAttributes","attributes":{},"contentState":{"status":"active"}}"#
            #expect(self.places(try await api.call(.post, Self.activities, bare)) == ["attributes.childId"])
            let right = #"{\#(start),"contentState":{"status":"active","endTime":794048400}}"#
            #expect(try await api.call(.post, Self.activities, right).status == 201)
            let path = "\(Self.activities)/l"
            for body in [
                #"{"patch":{"status":"lost"}}"#, #"{"contentState":{"status":5}}"#, #"{"patch":{"status":null}}"#,
            ] {
                let answer = try await api.call(.patch, path, body)
                #expect(answer.code == "content_mismatch")
                #expect(self.places(answer) == ["contentState.status"])
            }
            #expect(try await api.call(.patch, path, #"{"patch":{"status":"ending"}}"#).status == 202)
            let orders = #"{"changes":[{"activity":"l","patch":{"endTime":"2026-03-01T09:00:00Z"}}]}"#
            let many = try await api.call(.post, "\(Self.activities):batchUpdate", orders)
            let result = try #require(many.json["results"]?.elements.first)
            #expect(result["code"] == "content_mismatch")
            #expect(result["errors"]?.elements.first?["field"] == "contentState.endTime")
            let plan = #"{"at":"2026-02-02T05:00:00Z","patch":{"endTime":true}}"#
            let planned = try await api.call(.put, "\(path)/transitions/x", plan)
            #expect(self.places(planned) == ["contentState.endTime"])
            #expect(try await api.call(.get, path).json["version"]?.number == 2)
        }
    }

    @Test("hold what apps tell first to their schema, but never lose the token of a phone by it")
    func told() async throws {
        try await withAPI { api async throws in
            try await self.register(api)
            let body = #"{"token":"ab","attributesType":"LessonAttributes","contentState":{"status":"lost"}}"#
            let path = "\(Self.activities)/l/tokens/phone"
            #expect(try await api.call(.put, path, body).code == "content_mismatch")
            let right = body.replacingOccurrences(of: "lost", with: "active")
            #expect(try await api.call(.put, path, right).status == 200)
            let other = try await api.call(.put, "\(Self.activities)/l/tokens/tablet", body)
            #expect(other.status == 200, "\(other.text)")
        }
    }

    @Test("convert the dates that they are told to convert")
    func converted() async throws {
        try await withAPI { api async throws in
            let date = #"{"type":"number","format":"swift-date","convert":true}"#
            try await self.register(api, #"{"contentState":{"properties":{"endTime":\#(date)}}}"#)
            let body =
                #"{"id":"l","attributesType":"LessonAttributes","contentState":{"endTime":"2026-03-01T09:00:00Z"}}"#
            let answer = try await api.call(.post, Self.activities, body)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["warnings"] == nil)
            let shown = try await api.call(.get, "\(Self.activities)/l")
            #expect(shown.json["contentState"]?["endTime"]?.number == 794_048_400)
            _ = try await api.call(.patch, "\(Self.activities)/l", #"{"patch":{"endTime":1772359200}}"#)
            let changed = try await api.call(.get, "\(Self.activities)/l")
            #expect(changed.json["contentState"]?["endTime"]?.number == 794_052_000)
        }
    }

    @Test("are missed where numbers look like dates from 1970: the answer warns, and names the instant that is meant")
    func warned() async throws {
        try await withAPI { api async throws in
            let body = """
                {"id":"l","attributesType":"LessonAttributes","contentState":{"endTime":1772355600,"fee":1772355600},
                 "instants":{"endsAt":"2026-03-01T09:00:00Z"}}
                """
            let answer = try await api.call(.post, Self.activities, body)
            let warnings = try #require(answer.json["warnings"]?.elements)
            #expect(warnings.compactMap { $0["field"]?.text } == ["contentState.endTime", "contentState.fee"])
            let message = try #require(warnings.first?["message"]?.text)
            #expect(message.contains("'endsAt'") && message.contains("2057-03-01") && message.contains("794048400"))
            let patch = #"{"patch":{"endTime":1772355600}}"#
            let changed = try await api.call(.patch, "\(Self.activities)/l", patch)
            #expect(changed.status == 202)
            #expect(changed.json["warnings"]?.elements.first?["field"] == "patch.endTime")
            let orders = #"{"changes":[{"activity":"l","patch":{"endTime":1772355600}}]}"#
            let many = try await api.call(.post, "\(Self.activities):batchUpdate", orders)
            let result = many.json["results"]?.elements.first?["result"]
            #expect(result?["warnings"]?.elements.count == 1)
            // A schema that says that it is a number ends it.
            try await self.register(api, #"{"contentState":{"properties":{"endTime":{"type":"integer"}}}}"#)
            let known = try await api.call(.patch, "\(Self.activities)/l", patch)
            #expect(known.json["warnings"] == nil)
        }
    }
}
