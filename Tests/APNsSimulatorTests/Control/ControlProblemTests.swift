// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Control API: bad input", .timeLimit(.minutes(20)))
struct ControlProblemTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let body: String?
        let status: Int
        let code: String
        let field: String?

        var testDescription: String { "\(self.method) \(self.path) \(self.body ?? "")" }

        init(_ method: String, _ path: String, _ body: String?, _ status: Int, _ code: String, _ field: String? = nil) {
            self.method = method
            self.path = path
            self.body = body
            self.status = status
            self.code = code
            self.field = field
        }
    }

    static let cases: [Case] = [
        Case("POST", "/v1/devices", "{", 400, "malformed-json", "body"),
        Case("POST", "/v1/devices", #"{"apps":[],"apps":[]}"#, 400, "invalid-value", "apps"),
        Case(
            "POST",
            "/v1/faults",
            #"{"action":"drop","match":{"token":"00","token":"01"}}"#,
            400,
            "invalid-value",
            "match.token"
        ),
        Case("POST", "/v1/devices", "[]", 400, "wrong-type", "body"),
        Case("POST", "/v1/devices", "{}", 400, "missing-field", "apps"),
        Case("POST", "/v1/devices", #"{"apps":"a"}"#, 400, "wrong-type", "apps"),
        Case("POST", "/v1/devices", #"{"apps":[1]}"#, 400, "wrong-type", "apps[0]"),
        Case("POST", "/v1/devices", #"{"apps":["no good"]}"#, 400, "invalid-value", "apps[0]"),
        Case("POST", "/v1/devices", #"{"apps":[],"environment":"mars"}"#, 400, "invalid-value", "environment"),
        Case("POST", "/v1/devices", #"{"apps":[],"colour":"red"}"#, 400, "unknown-field", "colour"),
        Case("GET", "/v1/devices?limit=0", nil, 400, "invalid-value", "limit"),
        Case("GET", "/v1/devices?after=nobody", nil, 404, "not-found"),
        Case("GET", "/v1/devices/nobody", nil, 404, "not-found"),
        Case("PATCH", "/v1/devices/nobody", #"{"online":true}"#, 404, "not-found"),
        Case("PATCH", "/v1/devices/nobody", #"{"online":"yes"}"#, 404, "not-found"),
        Case("POST", "/v1/devices/nobody/apps", #"{"bundleID":"com.example.app"}"#, 404, "not-found"),
        Case("DELETE", "/v1/devices/nobody/apps/com.example.app", nil, 404, "not-found"),
        Case(
            "POST",
            "/v1/keys",
            #"{"pem":"no key","keyID":"ABCDEFGHIJ","teamID":"ABCDEFGHIJ"}"#,
            400,
            "invalid-value",
            "pem"
        ),
        Case("POST", "/v1/keys", #"{"pem":"no key"}"#, 400, "missing-field", "keyID"),
        Case("POST", "/v1/keys", #"{"keyID":"short"}"#, 400, "invalid-value", "keyID"),
        Case("POST", "/v1/keys", #"{"environments":["mars"]}"#, 400, "invalid-value", "environments"),
        Case("POST", "/v1/faults", "{}", 400, "missing-field", "action"),
        Case("POST", "/v1/faults", #"{"action":"explode"}"#, 400, "invalid-value", "action"),
        Case("POST", "/v1/faults", #"{"action":"reject"}"#, 400, "missing-field", "reason"),
        Case("POST", "/v1/faults", #"{"action":"reject","reason":"X","status":150}"#, 400, "invalid-value", "status"),
        Case("POST", "/v1/faults", #"{"action":"delay"}"#, 400, "missing-field", "milliseconds"),
        Case("POST", "/v1/faults", #"{"action":"drop","rate":2}"#, 400, "invalid-value", "rate"),
        Case("POST", "/v1/faults", #"{"action":"drop","milliseconds":5}"#, 400, "unknown-field", "milliseconds"),
        Case("POST", "/v1/faults", #"{"action":"drop","match":{"app":"x"}}"#, 400, "unknown-field", "match.app"),
        Case("POST", "/v1/certificates", "{}", 400, "missing-field", "bundleID"),
        Case("POST", "/v1/certificates", #"{"bundleID":"no good"}"#, 400, "invalid-value", "topics"),
        Case("POST", "/v1/clock:advance", #"{"seconds":-1}"#, 400, "invalid-value", "seconds"),
        Case("POST", "/v1/clock:advance", "{}", 400, "missing-field", "seconds"),
        Case("PATCH", "/v1/clock", #"{"scale":"fast"}"#, 400, "wrong-type", "scale"),
        Case("GET", "/v1/clock?follower=a", "", 400, "missing-field", "change"),
        Case("GET", "/v1/clock?change=1", "", 400, "missing-field", "follower"),
        Case("GET", "/v1/clock?follower=&change=1", "", 400, "invalid-value", "follower"),
        Case("GET", "/v1/clock?follower=a&change=-1", "", 400, "invalid-value", "change"),
        Case("PUT", "/v1/snapshot", "{", 400, "malformed-json", "body"),
        Case("PUT", "/v1/snapshot", "{}", 400, "missing-field", "version"),
        Case("PUT", "/v1/snapshot", #"{"version":"1","now":1,"world":{}}"#, 400, "wrong-type", "version"),
        Case(
            "PUT",
            "/v1/snapshot",
            #"{"version":1,"now":1,"world":{"keys":[{}]}}"#,
            400,
            "missing-field",
            "world.keys[0].publicKey"
        ),
        Case("GET", "/v1/population", nil, 404, "not-found"),
        Case("GET", "/v1/tokens/xyz", nil, 400, "invalid-value", "token"),
        Case("POST", "/v1/reset", "[]", 400, "wrong-type", "body"),
        Case("DELETE", "/v1/keys/nobody", nil, 404, "not-found"),
        Case("DELETE", "/v1/faults/7", nil, 404, "not-found"),
        Case("DELETE", "/v1/connections/x", nil, 404, "not-found"),
        Case("PATCH", "/v1/devices", "{}", 405, "method-not-allowed", "method"),
        Case("POST", "/healthz", nil, 405, "method-not-allowed", "method"),
        Case("DELETE", "/v1/devices/x/shown?identifer=zzz", nil, 400, "unknown-field", "identifer"),
        Case("GET", "/v1/info?verbose", nil, 400, "unknown-field", "verbose"),
        Case("GET", "/v1/devices?limit=1&limit=2", nil, 400, "invalid-value", "limit"),
        Case("GET", "/v1/apps/a%20b/channels", nil, 400, "invalid-value", "bundleID"),
        Case("GET", "/v1/apps/a%20b/activity-types", nil, 400, "invalid-value", "bundleID"),
        Case("PUT", "/v1/teams/short", #"{"bundleIDs":[]}"#, 400, "invalid-value", "teamID"),
        Case("POST", "/v1/keys", #"{"topics":[]}"#, 400, "invalid-value", "topics"),
        Case("POST", "/v1/keys", #"{"topics":[""]}"#, 400, "invalid-value", "topics[0]"),
        Case("POST", "/v1/keys", #"{"environments":[]}"#, 400, "invalid-value", "environments"),
        Case("POST", "/v1/keys", #"{"relatedKeyID":"ABCDEFGHIJ"}"#, 400, "invalid-value", "relatedKeyID"),
        Case("GET", "/v1/events?kind=bogus", nil, 400, "invalid-value", "kind"),
        Case("DELETE", "/v1/connections?reason=Shutdwon", nil, 400, "invalid-value", "reason"),
        Case("GET", "/v2/nothing", nil, 404, "not-found"),
    ]

    @Test("bad input is answered with a problem that names the field", arguments: Self.cases)
    func problem(input: Case) async throws {
        try await withTestSimulator { simulator in
            let answer = try await ControlClient(simulator).send(input.method, input.path, input.body)
            #expect(answer.status == input.status)
            #expect(answer.contentType == "application/problem+json")
            #expect(answer.string("code") == input.code)
            #expect(answer.string("field") == input.field)
            #expect(answer.json["status"] as? Int == input.status)
            #expect(answer.string("detail")?.isEmpty == false)
        }
    }

    @Test("a body over the limit is refused")
    func largeBody() async throws {
        try await withTestSimulator { simulator in
            let body = "{\"apps\":[\"" + String(repeating: "x", count: 2 << 20) + "\"]}"
            let answer = try await ControlClient(simulator).send("POST", "/v1/devices", body)
            #expect(answer.status == 413)
            #expect(answer.string("code") == "body-too-large")
            #expect(answer.string("field") == "body")
            #expect(answer.string("rule") == "at most 1048576 bytes")
        }
    }

    @Test("no answer repeats a key that it was given")
    func secrets() async throws {
        try await withTestSimulator { simulator in
            let answer = try await ControlClient(simulator)
                .send("POST", "/v1/keys", #"{"pem":"SECRET","keyID":"ABCDEFGHIJ","teamID":"ABCDEFGHIJ"}"#)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("SECRET"))
        }
    }
}
