// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import Logging
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Waiting for outcomes while the store fails", .timeLimit(.minutes(20)))
struct WaitFailureTests {
    /// A request that may wait.
    enum Kind: String, CaseIterable {
        case notification = ""
        case batch = ":batch"

        var path: String { "/v1/apps/\(TestAPI.app)/notifications\(self.rawValue)?wait=true" }

        var body: String {
            switch self {
            case .notification: #"{"targets":{"tokens":["ab"]},"payload":{}}"#
            case .batch: #"{"notifications":[{"token":"ab","payload":{}}]}"#
            }
        }
    }

    /// What fails after a request was accepted.
    enum Step: CaseIterable {
        case standing
        case outcomes

        func faults(_ count: Int = .max) -> StoreFaults {
            switch self {
            case .standing: StoreFaults(count, of: "notification(_:)")
            case .outcomes: StoreFaults(count, of: "failures(of:after:limit:)", "outcomes(of:)")
            }
        }
    }

    private static func setup(_ faults: StoreFaults, passing duration: Duration) -> TestSetup {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: duration)
        setup.wrap = { ProbedStore($0, failing: faults) }
        return setup
    }

    private static func named(_ name: String) throws -> HTTPFields {
        var headers = HTTPFields()
        headers[try #require(HTTPField.Name("Idempotency-Key"))] = name
        return headers
    }

    @Test("is answered 202 when the store cannot be read until the wait is over", arguments: Kind.allCases)
    func unreadable(kind: Kind) async throws {
        let faults = Step.standing.faults()
        try await withAPI(Self.setup(faults, passing: PushAPIConfiguration().maximumWait)) { api async throws in
            let answer = try await api.call(.post, kind.path, kind.body)
            #expect(answer.status == 202, "\(answer.text)")
            let location = try #require(answer.headers[.location])
            let warnings = api.logs.entries.filter { $0.level == .warning && $0.metadata["hb.request.id"] != nil }
            #expect(warnings.count == 1)
            faults.end()
            let stored = try await api.call(.get, location)
            #expect(stored.status == 200)
            #expect(stored.json["state"]?.text == "accepted")
        }
    }

    @Test(
        "goes on while the store fails now and then, and tells the outcomes in the end",
        arguments: Kind.allCases,
        Step.allCases
    )
    func transient(kind: Kind, step: Step) async throws {
        let faults = step.faults(3)
        try await withAPI(Self.setup(faults, passing: PushAPIConfiguration().recheckInterval)) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            async let batch = delivery.settleNext { _, _ in .rejected(Rejection(.badDeviceToken)) }
            let answer = try await api.call(.post, kind.path, kind.body)
            #expect(try await batch != nil)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.text.contains("BadDeviceToken"))
            #expect(faults.left == 0)
        }
    }

    @Test(
        "is answered with the outcomes when the answer cannot be kept, and so are repetitions",
        arguments: Kind.allCases
    )
    func notKept(kind: Kind) async throws {
        let faults = StoreFaults(1, of: "setAnswer(_:for:)")
        try await withAPI(Self.setup(faults, passing: .zero)) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            async let batch = delivery.settleNext { _, _ in .rejected(Rejection(.badDeviceToken)) }
            let headers = try Self.named("a")
            let answer = try await api.call(.post, kind.path, kind.body, headers: headers)
            #expect(try await batch != nil)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(faults.left == 0)
            let warnings = api.logs.entries.filter { $0.level == .warning }
            #expect(warnings.contains { $0.message.contains("Failed to store the response") })
            let again = try await api.call(.post, kind.path, kind.body, headers: headers)
            #expect(again.status == 200)
            #expect(again.text.contains("BadDeviceToken"))
        }
    }

    @Test("holds for a change of Live Activities too")
    func activity() async throws {
        let faults = Step.standing.faults()
        try await withAPI(Self.setup(faults, passing: PushAPIConfiguration().maximumWait)) { api async throws in
            let path = "/v1/apps/\(TestAPI.app)/activities"
            let lesson = """
                {"id":"lesson","attributesType":"Lesson","attributes":{"child":1},"contentState":{"n":1},
                 "alert":{"title":"Lesson","body":"It begins"}}
                """
            #expect(try await api.call(.post, path, lesson).status == 201)
            let upload = #"{"token":"\#(TestToken.hex(1))"}"#
            #expect(try await api.call(.put, "\(path)/lesson/tokens/phone-0", upload).status == 200)
            let answer = try await api.call(.patch, "\(path)/lesson?wait=true", #"{"patch":{"n":2}}"#)
            #expect(answer.status == 202, "\(answer.text)")
        }
    }
}
