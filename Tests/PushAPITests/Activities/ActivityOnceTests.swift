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

@Suite("A change of Live Activities with an idempotency key, or one that waits", .timeLimit(.minutes(20)))
struct ActivityOnceTests {
    private static let path = "/v1/apps/\(TestAPI.app)/activities"

    /// A request that may be repeated.
    enum Kind: String, CaseIterable {
        case create
        case start
        case change
        case batchUpdate

        var method: HTTPRequest.Method { self == .change ? .patch : .post }

        var path: String {
            switch self {
            case .create: ActivityOnceTests.path
            case .start: "\(ActivityOnceTests.path)/lesson:start"
            case .change: "\(ActivityOnceTests.path)/lesson"
            case .batchUpdate: "\(ActivityOnceTests.path):batchUpdate"
            }
        }

        var body: String {
            switch self {
            case .create: ActivityOnceTests.lesson("another", #","devices":["phone-1"]"#)
            case .start: #"{"devices":["phone-2"]}"#
            case .change: #"{"patch":{"n":2}}"#
            case .batchUpdate: #"{"changes":[{"activity":"lesson","patch":{"n":2}},{"activity":"x","patch":{}}]}"#
            }
        }
    }

    private static func lesson(_ name: String, _ more: String = "") -> String {
        """
        {"id":"\(name)","attributesType":"Lesson","attributes":{"child":1},"contentState":{"n":1},
         "alert":{"title":"Lesson","body":"It begins"}\(more)}
        """
    }

    /// A lesson that one phone shows and that can be started on others.
    private static func prepare(_ api: TestAPI) async throws {
        #expect(try await api.call(.post, Self.path, Self.lesson("lesson")).status == 201)
        let upload = #"{"token":"\#(TestToken.hex(1))"}"#
        #expect(try await api.call(.put, "\(Self.path)/lesson/tokens/phone-0", upload).status == 200)
        for number in 1...2 {
            let told = try await api.call(
                .put,
                "/v1/apps/\(TestAPI.app)/devices/phone-\(number)/start-tokens/Lesson",
                #"{"token":"\#(TestToken.hex(UInt8(10 + number)))"}"#
            )
            #expect(told.status == 204)
        }
    }

    private static func headers(_ key: String) throws -> HTTPFields {
        var headers = HTTPFields()
        headers[try #require(HTTPField.Name("Idempotency-Key"))] = key
        return headers
    }

    private static func isReplayed(_ answer: Answer) throws -> Bool {
        answer.headers[try #require(HTTPField.Name("Idempotent-Replayed"))] == "true"
    }

    @Test(
        "is carried out once, and repetitions are answered as the first, byte for byte",
        arguments: Kind.allCases,
        TestStoreBackend.allCases
    )
    func once(kind: Kind, on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            try await Self.prepare(api)
            let headers = try Self.headers("a")
            let first = try await api.call(kind.method, kind.path, kind.body, headers: headers)
            #expect(first.status == (kind == .create ? 201 : 202), "\(first.text)")
            #expect(try !Self.isReplayed(first))
            // What has become of it meanwhile changes nothing about the answer.
            #expect(try await api.call(.patch, "\(Self.path)/lesson", #"{"patch":{"n":3}}"#).status == 202)
            setup.time.advance(by: 60)
            for _ in 0..<2 {
                let again = try await api.call(kind.method, kind.path, kind.body, headers: headers)
                #expect(again.status == first.status)
                #expect(again.text == first.text)
                #expect(again.headers[.location] == first.headers[.location])
                #expect(try Self.isReplayed(again))
            }
            let shown = try await api.call(.get, "\(Self.path)/lesson")
            #expect(shown.json["contentState"] == ["n": 3])
            #expect(shown.json["version"]?.number == (kind == .change || kind == .batchUpdate ? 3 : 2))
            let other = try await api.call(.patch, "\(Self.path)/lesson", #"{"patch":{}}"#, headers: headers)
            #expect(other.code == "idempotency_key_reused")
        }
    }

    @Test("that is refused does not use its key up", arguments: TestStoreBackend.allCases)
    func refused(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await Self.prepare(api)
            let headers = try Self.headers("a")
            let unknown = try await api.call(.patch, "\(Self.path)/none", #"{"patch":{"n":1}}"#, headers: headers)
            #expect(unknown.code == "activity_not_found")
            let taken = try await api.call(.post, Self.path, Self.lesson("lesson"), headers: headers)
            #expect(taken.code == "activity_exists")
            let changed = try await api.call(.patch, "\(Self.path)/lesson", #"{"patch":{"n":2}}"#, headers: headers)
            #expect(changed.status == 202)
            #expect(try !Self.isReplayed(changed))
        }
    }

    @Test("is carried out once by requests that come at the same time", arguments: TestStoreBackend.allCases)
    func concurrent(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await Self.prepare(api)
            for kind in Kind.allCases {
                let headers = try Self.headers(kind.rawValue)
                let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                    for _ in 0..<6 {
                        group.addTask { try await api.call(kind.method, kind.path, kind.body, headers: headers) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(answers.map(\.text)).count == 1, "\(answers.map(\.text))")
                #expect(try answers.count { try !Self.isReplayed($0) } == 1)
            }
            let shown = try await api.call(.get, "\(Self.path)/lesson")
            #expect(shown.json["version"]?.number == 3)
        }
    }

    @Test("is answered with what its pushes came to where it waits, and its repetitions too", arguments: Kind.allCases)
    func waiting(kind: Kind) async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        try await withAPI(setup) { api async throws in
            try await Self.prepare(api)
            let headers = try Self.headers("a")
            let delivery = FakeDelivery(store: api.store)
            async let batch = delivery.settleNext { _, _ in .rejected(Rejection(.internalServerError)) }
            let first = try await api.call(kind.method, "\(kind.path)?wait=true", kind.body, headers: headers)
            #expect(try await batch != nil)
            #expect(first.status == 200, "\(first.text)")
            #expect(first.json["outcome"]?["counts"]?["rejected"]?["InternalServerError"]?.number == 1)
            #expect(first.json["outcome"]?["failures"]?.elements.count == 1)
            #expect(first.json["outcome"]?["targetCount"]?.number == 1)
            let again = try await api.call(kind.method, "\(kind.path)?wait=true", kind.body, headers: headers)
            #expect(again.text == first.text)
            #expect(try Self.isReplayed(again))
        }
    }

    @Test("that did not wait has a repetition answered that does; without pushes there is nothing to wait for")
    func later() async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        try await withAPI(setup) { api async throws in
            try await Self.prepare(api)
            let delivery = FakeDelivery(store: api.store)
            let headers = try Self.headers("a")
            let first = try await api.call(.patch, "\(Self.path)/lesson", #"{"patch":{"n":2}}"#, headers: headers)
            #expect(first.status == 202)
            try await delivery.settle(try #require(try await delivery.claim(.urgent)))
            let path = "\(Self.path)/lesson?wait=true"
            let second = try await api.call(.patch, path, #"{"patch":{"n":2}}"#, headers: headers)
            #expect(second.status == 200)
            #expect(second.json["version"] == first.json["version"])
            #expect(second.json["outcome"]?["counts"]?["delivered"]?.number == 1)
            #expect(try Self.isReplayed(second))
            let instants = #"{"instants":{"endsAt":"2036-03-20T09:00:00Z"}}"#
            let silent = try await api.call(.patch, path, instants)
            #expect(silent.status == 200)
            #expect(silent.json["outcome"] == nil)
            #expect(try await api.call(.patch, "\(Self.path)/lesson?wait=yes", instants).fields == ["query.wait"])
        }
    }

    @Test("that has waited long enough is answered as if it had not waited")
    func impatient() async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: setup.configuration.maximumWait)
        try await withAPI(setup) { api async throws in
            try await Self.prepare(api)
            let answer = try await api.call(.patch, "\(Self.path)/lesson?wait=true", #"{"patch":{"n":2}}"#)
            #expect(answer.status == 202)
            #expect(answer.json["outcome"] == nil)
        }
    }
}
