// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import PushModel
import PushStore
import Testing

@Suite("Requests that break a rule", .timeLimit(.minutes(20)))
struct BadRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method: HTTPRequest.Method
        var path: String
        var body: String?
        var status = 422
        var code = "invalid_request"
        var fields: [String]
    }

    private static func app(_ name: String, _ body: String, _ fields: String...) -> Case {
        Case(testDescription: "an app with \(name)", method: .post, path: "/v1/apps", body: body, fields: fields)
    }

    private static func device(_ name: String, _ body: String, code: String? = nil, _ fields: String...) -> Case {
        Case(
            testDescription: "a device with \(name)",
            method: .put,
            path: "/v1/apps/\(TestAPI.app)/devices/phone",
            body: body,
            code: code ?? "invalid_request",
            fields: fields
        )
    }

    private static func key(_ name: String, _ body: String, _ fields: String...) -> Case {
        Case(testDescription: "a key with \(name)", method: .post, path: "/v1/keys", body: body, fields: fields)
    }

    private static func query(_ name: String, _ path: String, _ fields: String...) -> Case {
        Case(testDescription: name, method: .get, path: path, fields: fields)
    }

    static let cases: [Case] = [
        Self.app("an unknown member", #"{"id":"a.b","colour":"red"}"#, "colour"),
        Self.app("a repeated member", #"{"id":"a.b","id":"a.c"}"#, "id"),
        Self.app("no id", "{}", "id"),
        Self.app("a null id", #"{"id":null}"#, "id"),
        Self.app("a number for an id", #"{"id":1}"#, "id"),
        Self.app("an object for an id", #"{"id":{"a":[1,{}]}}"#, "id"),
        Self.app("a space in its id", #"{"id":"a b"}"#, "id"),
        Self.app("a long id", #"{"id":"\#(String(repeating: "a", count: 156))"}"#, "id"),
        Self.app("an empty name", #"{"id":"a.b","name":""}"#, "name"),
        Self.app("a long name", #"{"id":"a.b","name":"\#(String(repeating: "a", count: 257))"}"#, "name"),
        Self.app("an unknown environment", #"{"id":"a.b","defaultEnvironment":"test"}"#, "defaultEnvironment"),
        Self.app(
            "three faults at once",
            #"{"name":1,"defaultEnvironment":"x","y":0}"#,
            "name",
            "defaultEnvironment",
            "y",
            "id"
        ),
        Self.app("an array around it", "[]", "body"),
        Self.device("no token", "{}", "token"),
        Self.device("an odd token", #"{"token":"abc"}"#, code: "invalid_device_token", "token"),
        Self.device("a token that is not hex", #"{"token":"zz"}"#, code: "invalid_device_token", "token"),
        Self.device("an empty token", #"{"token":""}"#, code: "invalid_device_token", "token"),
        Self.device(
            "a token of 101 bytes",
            #"{"token":"\#(String(repeating: "ab", count: 101))"}"#,
            code: "invalid_device_token",
            "token"
        ),
        Self.device("a number for a token", #"{"token":12}"#, "token"),
        Self.device("an unknown environment", #"{"token":"ab","environment":"dev"}"#, "environment"),
        Self.device("a long locale", #"{"token":"ab","locale":"\#(String(repeating: "a", count: 65))"}"#, "locale"),
        Self.device("an empty user", #"{"token":"ab","userID":""}"#, "userID"),
        Self.device("a number for a tag", #"{"token":"ab","tags":{"plan":1}}"#, "tags.plan"),
        Self.device("an array for tags", #"{"token":"ab","tags":[]}"#, "tags"),
        Self.device("a number for a topic", #"{"token":"ab","topics":["a",1]}"#, "topics[1]"),
        Self.device("an object for topics", #"{"token":"ab","topics":{}}"#, "topics"),
        Self.key("nothing", "{}", "name", "scopes"),
        Self.key("no scopes", #"{"name":"a","scopes":[]}"#, "scopes"),
        Self.key("an unknown scope", #"{"name":"a","scopes":["send","fly"]}"#, "scopes[1]"),
        Self.key("a past end", #"{"name":"a","scopes":["send"],"expiresAt":"2020-01-01T00:00:00Z"}"#, "expiresAt"),
        Self.key("an end that is no time", #"{"name":"a","scopes":["send"],"expiresAt":"soon"}"#, "expiresAt"),
        Self.key("an app that does not exist", #"{"name":"a","scopes":["send"],"app":"no.such"}"#, "app"),
        Self.query("a limit of 0", "/v1/apps?limit=0", "query.limit"),
        Self.query("a limit of 1001", "/v1/apps?limit=1001", "query.limit"),
        Self.query("a limit in words", "/v1/keys?limit=ten", "query.limit"),
        Self.query("an unknown parameter", "/v1/apps?page=2", "query.page"),
        Self.query("a repeated parameter", "/v1/apps?limit=1&limit=2", "query.limit"),
        Self.query("a foreign cursor", "/v1/apps/\(TestAPI.app)/devices?cursor=x", "query.cursor"),
    ]

    @Test("are refused with the field, and store nothing", arguments: Self.cases)
    func refused(_ bad: Case) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(bad.method, bad.path, bad.body)
            #expect(answer.status == bad.status, "\(answer.text)")
            #expect(answer.code == bad.code)
            #expect(answer.fields == bad.fields)
            #expect(answer.json["errorCount"]?.number == bad.fields.count)
            let apps = try await api.store.apps(after: nil, limit: 10)
            #expect(apps.elements.map(\.id) == [TestAPI.app])
            let devices = try await api.store.devices(of: TestAPI.app, in: nil, after: nil, limit: 10)
            #expect(devices.elements.isEmpty)
        }
    }

    @Test("name what is expected and what was found")
    func message() async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, "/v1/apps", #"{"id":17}"#)
            #expect(answer.json["errors"]?.elements.first?["expected"]?.text == "a string")
            #expect(answer.json["errors"]?.elements.first?["actual"]?.text == "a number")
            #expect(answer.json["detail"]?.text == "id: expected a string, got a number")
            #expect(answer.json["type"]?.text == "/problems/invalid_request")
        }
    }

    @Test(
        "for an app that does not exist say so, whatever else they hold",
        arguments: [
            (HTTPRequest.Method.get, "/v1/apps/no.such.app", nil),
            (.delete, "/v1/apps/no.such.app", nil),
            (.get, "/v1/apps/not%20an%20id", nil),
            (.get, "/v1/apps/%zz", nil),
            (.get, "/v1/apps/no.such.app/devices", nil),
            (.get, "/v1/apps/no.such.app/devices/phone", nil),
            (.delete, "/v1/apps/no.such.app/devices/phone", nil),
            (.put, "/v1/apps/no.such.app/devices/phone", #"{"token":"ab"}"#),
            (.get, "/v1/apps/no.such.app/credentials", nil),
            (.post, "/v1/apps/no.such.app/notifications", #"{"targets":{"tokens":["ab"]},"payload":{}}"#),
        ] as [(HTTPRequest.Method, String, String?)]
    )
    func unknownApp(_ method: HTTPRequest.Method, _ path: String, _ body: String?) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(method, path, body)
            #expect(answer.status == 404)
            #expect(answer.code == "app_not_found")
        }
    }

    @Test("for an installation whose id is too long name the path")
    func longInstallation() async throws {
        try await withAPI { api async throws in
            let path = "/v1/apps/\(TestAPI.app)/devices/\(String(repeating: "a", count: 129))"
            let answer = try await api.call(.put, path, #"{"token":"ab"}"#)
            #expect(answer.status == 422)
            #expect(answer.fields == ["path.device"])
        }
    }

    @Test("for a path that is not there, or not for that method, say so")
    func routes() async throws {
        try await withAPI { api async throws in
            let missing = try await api.call(.get, "/v2/apps", key: "")
            #expect(missing.status == 404)
            #expect(missing.code == "route_not_found")
            let wrong = try await api.call(.put, "/v1/apps/\(TestAPI.app)", "{}")
            #expect(wrong.status == 405)
            #expect(wrong.code == "method_not_allowed")
            #expect(wrong.headers[.allow] == "GET, PATCH, DELETE")
        }
    }
}
