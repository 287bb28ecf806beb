// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import Testing

@Suite("Requests to send that break a rule", .timeLimit(.minutes(20)))
struct BadNotificationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: String
        var status = 422
        var code = "invalid_request"
        var fields: [String]
    }

    private static let path = "/v1/apps/\(TestAPI.app)/notifications"

    /// A request that is right but for one member.
    private static func with(_ name: String, _ member: String, _ fields: String...) -> Case {
        let body = #"{"targets":{"tokens":["ab"]},"payload":{"aps":{}},\#(member)}"#
        return Case(testDescription: name, body: body, fields: fields)
    }

    private static func targets(
        _ name: String,
        _ targets: String,
        code: String = "invalid_request",
        _ fields: String...
    ) -> Case {
        Case(
            testDescription: name,
            body: #"{"targets":\#(targets),"payload":{"aps":{}}}"#,
            code: code,
            fields: fields
        )
    }

    private static func payload(_ name: String, _ member: String, _ fields: String...) -> Case {
        Case(testDescription: name, body: #"{"targets":{"tokens":["ab"]},\#(member)}"#, fields: fields)
    }

    static let cases: [Case] = [
        Case(testDescription: "nothing", body: "{}", fields: ["targets", "body"]),
        Self.targets("no kind of targets", "{}", "targets"),
        Self.targets("null targets", "null", "targets"),
        Self.targets("targets that are an array", #"["ab"]"#, "targets"),
        Self.targets("two kinds of targets", #"{"tokens":["ab"],"devices":["a"]}"#, "targets"),
        Self.targets("no tokens", #"{"tokens":[]}"#, "targets.tokens"),
        Self.targets("an unknown kind of targets", #"{"topic":"news"}"#, "targets.topic"),
        Self.targets("a token that is a number", #"{"tokens":["ab",12]}"#, "targets.tokens[1]"),
        Self.targets("a null token", #"{"tokens":["ab",null]}"#, "targets.tokens[1]"),
        Self.targets(
            "a token that is not hex",
            #"{"tokens":["ab","cd","xy"]}"#,
            code: "invalid_device_token",
            "targets.tokens[2]"
        ),
        Self.targets(
            "an environment beside devices",
            #"{"devices":["a"],"environment":"sandbox"}"#,
            "targets.environment"
        ),
        Self.targets("an unknown environment", #"{"tokens":["ab"],"environment":"x"}"#, "targets.environment"),
        Self.targets("an empty device id", #"{"devices":[""]}"#, "targets.devices[0]"),
        Self.targets("a user id with a control character", #"{"users":["a\u0000"]}"#, "targets.users[0]"),
        Self.with("an unknown member", #""badge":1"#, "badge"),
        Self.with("an unknown push type", #""pushType":"shout""#, "pushType"),
        Self.with("an unknown priority", #""priority":7"#, "priority"),
        Self.with("a priority as text", #""priority":"10""#, "priority"),
        Self.with("a fractional priority", #""priority":5.0"#, "priority"),
        Self.with("a priority that Apple refuses", #""pushType":"background","priority":10"#, "priority"),
        Self.with("a negative expiration", #""expiration":-1"#, "expiration"),
        Self.with("an expiration as text", #""expiration":"2026""#, "expiration"),
        Self.with("an enormous expiration", #""expiration":99999999999999999999"#, "expiration"),
        Self.with("a long collapse id", #""collapseID":"\#(String(repeating: "é", count: 33))""#, "collapseID"),
        Self.with("an unknown lane", #""lane":"express""#, "lane"),
        Self.with("both forms of content", #""notification":{"title":"a"}"#, "body"),
        Self.payload("a payload that is text", #""payload":"{}""#, "payload"),
        Self.payload("a payload that is an array", #""payload":[]"#, "payload"),
        Self.payload("an alert without content", #""notification":{}"#, "notification"),
        Self.payload("an unknown part of the content", #""notification":{"titel":"a"}"#, "notification.titel"),
        Self.payload("a title that is a number", #""notification":{"title":1}"#, "notification.title"),
        Self.payload("a negative badge", #""notification":{"badge":-1}"#, "notification.badge"),
        Self.payload(
            "an unknown level",
            #""notification":{"interruptionLevel":"loud"}"#,
            "notification.interruptionLevel"
        ),
        Self.payload("a score over 1", #""notification":{"relevanceScore":1.5}"#, "notification.relevanceScore"),
        Self.payload("a flag as a number", #""notification":{"mutableContent":1}"#, "notification.mutableContent"),
        Self.payload("an aps in the app's data", #""notification":{"data":{"aps":{}}}"#, "notification.data.aps"),
        Self.payload("data that is an array", #""notification":{"data":[]}"#, "notification.data"),
    ]

    @Test("are refused with the field, and nothing is stored", arguments: Self.cases)
    func refused(_ bad: Case) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, bad.body)
            #expect(answer.status == bad.status, "\(answer.text)")
            #expect(answer.code == bad.code)
            #expect(answer.fields == bad.fields)
            try await Self.expectNothingStored(api)
        }
    }

    @Test("tell every bad token up to twenty, count all, and repeat none of them")
    func manyTokens() async throws {
        try await withAPI { api async throws in
            let tokens = (0..<30).map { $0 % 6 == 0 ? TestToken.hex(UInt8($0)) : "nothex\($0)" }
            let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
            let answer = try await api.call(.post, Self.path, #"{"targets":{"tokens":[\#(list)]},"payload":{}}"#)
            #expect(answer.status == 422)
            #expect(answer.code == "invalid_device_token")
            #expect(answer.json["errorCount"]?.number == 25)
            let bad = tokens.indices.filter { $0 % 6 != 0 }.prefix(20).map { "targets.tokens[\($0)]" }
            #expect(answer.fields == bad)
            #expect(!answer.text.contains("nothex"))
            try await Self.expectNothingStored(api)
        }
    }

    @Test(
        "with a payload over Apple's limit are told size and limit",
        arguments: [
            ("alert", 4096), ("voip", 5120), ("liveactivity", 4096),
        ]
    )
    func payloadSize(_ type: String, _ limit: Int) async throws {
        try await withAPI { api async throws in
            let fitting = #"{"a":"\#(String(repeating: "x", count: limit - 8))"}"#
            func body(_ payload: String) -> String {
                #"{"targets":{"tokens":["ab"]},"pushType":"\#(type)","payload":\#(payload)}"#
            }
            #expect(try await api.call(.post, Self.path, body(fitting)).status == 202)
            let answer = try await api.call(.post, Self.path, body(fitting.replacing("x\"", with: "xx\"")))
            #expect(answer.status == 413)
            #expect(answer.code == "payload_too_large")
            #expect(answer.fields == ["payload"])
            let fault = answer.json["errors"]?.elements.first
            #expect(fault?["actual"]?.text == "\(limit + 1) bytes")
            #expect(fault?["expected"]?.text?.contains("\(limit) bytes") == true)
        }
    }

    @Test("with more targets than one request takes are told how many")
    func tooMany() async throws {
        try await withAPI { api async throws in
            let list = repeatElement("\"ab\"", count: 100_001).joined(separator: ",")
            let answer = try await api.call(.post, Self.path, #"{"targets":{"tokens":[\#(list)]},"payload":{}}"#)
            #expect(answer.status == 413)
            #expect(answer.code == "too_many_targets")
            #expect(answer.json["errors"]?.elements.first?["actual"]?.text == "100001")
            try await Self.expectNothingStored(api)
        }
    }

    @Test("with a wait that is no boolean are refused")
    func wait() async throws {
        try await withAPI { api async throws in
            let body = #"{"targets":{"tokens":["ab"]},"payload":{}}"#
            let answer = try await api.call(.post, "\(Self.path)?wait=yes", body)
            #expect(answer.fields == ["query.wait"])
            try await Self.expectNothingStored(api)
        }
    }

    private static func expectNothingStored(_ api: TestAPI) async throws {
        let delivery = FakeDelivery(store: api.store)
        for lane in Lane.allCases { #expect(try await delivery.claim(lane) == nil) }
    }
}
