// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Filter policies on bodies")
struct BodyFilterTests {
    @Test(
        "bodies match by what they hold",
        arguments: [
            (#"{"a":["x"]}"#, #"{"a":"x","b":1}"#, true), (#"{"a":["x"]}"#, #"{"b":"x"}"#, false),
            (#"{"a":["x"]}"#, "x", false), (#"{"a":[{"exists":false}]}"#, "[]", false), ("{}", "x", false),
            ("{}", "{}", true),
            (#"{"a":[true]}"#, #"{"a":true}"#, true), (#"{"a":["true"]}"#, #"{"a":true}"#, false),
            (#"{"a":[null]}"#, #"{"a":null}"#, true), (#"{"a":[null]}"#, #"{"b":null}"#, false),
            (#"{"a":[{"exists":true}]}"#, #"{"a":null}"#, true), (#"{"a":[1]}"#, #"{"a":1.0}"#, true),
            (#"{"a":{"b":["x"]}}"#, #"{"a":{"b":"x"}}"#, true), (#"{"a":{"b":["x"]}}"#, #"{"a":"x"}"#, false),
            (#"{"a":{"b":["x"],"c":["y"]}}"#, #"{"a":{"b":"x","c":"z"}}"#, false),
            (#"{"a.b":["x"]}"#, #"{"a":{"b":"x"}}"#, true), (#"{"a":{"b":["x"]}}"#, #"{"a.b":"x"}"#, true),
            (#"{"a.b":["x"],"a":{"c":["y"]}}"#, #"{"a":{"b":"x","c":"y"}}"#, true),
            (#"{"a.b":["x"],"a":{"c":["y"]}}"#, #"{"a":{"b":"x","c":"z"}}"#, false),
            (#"{"a":{"b":["x"],"c":["y"]}}"#, #"{"a.b":"x","a":{"c":"y"}}"#, true),
            (#"{"a":{"b.c":["x"]}}"#, #"{"a.b":{"c":"x"}}"#, true),
            (#"{"a":["x"]}"#, #"{"a":["y","x"]}"#, true), (#"{"a":["x"]}"#, #"{"a":[["x"]]}"#, true),
            (#"{"a":["x"]}"#, #"{"a":[]}"#, false), (#"{"a":[{"exists":false}]}"#, #"{"a":[]}"#, true),
            (#"{"a":[{"exists":false}]}"#, #"{"a":{"b":1}}"#, true),
            (#"{"a":[{"exists":true}]}"#, #"{"a":{"b":1}}"#, false),
            (#"{"a":{"b":[{"exists":false}]}}"#, "{}", true),
            (#"{"a":{"b":[{"exists":false}]}}"#, #"{"a":{"b":1}}"#, false),
            (#"{"a":{"b":["x"]}}"#, #"{"a":[{"b":"y"},{"b":"x"}]}"#, true),
            (#"{"a":{"b":["x"],"c":["y"]}}"#, #"{"a":[{"b":"x","c":"z"},{"b":"w","c":"y"}]}"#, false),
            (#"{"a":{"b":["x"],"c":["y"]}}"#, #"{"a":[{"b":"x","c":"y"}]}"#, true),
            (#"{"a":{"$or":[{"b":["x"]},{"c":["y"]}]}}"#, #"{"a":{"c":"y"}}"#, true),
            (#"{"a":{"$or":[{"b":["x"]},{"c":["y"]}]}}"#, #"{"a":{"c":"z"}}"#, false),
            (#"{"a":[{"numeric":[">",1e3]}]}"#, #"{"a":1000.5}"#, true),
            (#"{"a":[{"prefix":"x"}]}"#, #"{"a":5}"#, false),
            (#"{"a":[{"anything-but":"x"}]}"#, #"{"a":5}"#, true),
            (#"{"a":[{"anything-but":"x"}]}"#, #"{"a":false}"#, true),
        ]
    )
    func bodies(policy: String, body: String, isMatch: Bool) throws {
        #expect(try FilterHarness.matches(policy, body: body) == isMatch)
    }

    @Test("a message without its body read matches no policy on bodies")
    func unread() throws {
        let policy = try FilterHarness.policy(#"{"a":[{"exists":false}]}"#, .messageBody)
        #expect(!policy.matches(FilterableMessage(attributes: [:], body: nil)))
    }

    @Test("neither deep nor long names break the matching")
    func deep() throws {
        let nested = String(repeating: #"{"a":"#, count: 127) + "1" + String(repeating: "}", count: 127)
        #expect(try !FilterHarness.matches(#"{"a":["x"]}"#, body: nested))
        let dotted = Array(repeating: "a", count: 50_000).joined(separator: ".")
        #expect(try !FilterHarness.matches(#"{"a":["x"]}"#, body: #"{"\#(dotted)":"x"}"#))
        #expect(try FilterHarness.matches(#"{"\#(dotted)":["x"]}"#, body: #"{"\#(dotted)":"x"}"#))
    }

    /// Objects in one another, each below a name of 16 parts.
    private func nested(_ count: Int) -> String {
        let name = Array(repeating: "a", count: 16).joined(separator: ".")
        return String(repeating: #"{"\#(name)":"#, count: count) + "[1]" + String(repeating: "}", count: count)
    }

    @Test("a policy has at most 128 levels of names, and a message may have more")
    func levels() throws {
        let deepest = self.nested(8)
        #expect(try FilterHarness.matches(deepest, body: deepest))
        #expect(try FilterHarness.matches(#"{"b":[1]}"#, body: #"{"b":1,"a":\#(self.nested(100))}"#))
        #expect(try !FilterHarness.matches(deepest, body: self.nested(100)))
        let fault = "Filter policy is nested too deep: at most 128 levels"
        #expect(FilterHarness.fault(self.nested(9), .messageBody) == fault)
        #expect(FilterHarness.fault(self.nested(100), .messageBody) == fault)
    }

    @Test("many spellings of one name are one flat list", .timeLimit(.minutes(20)))
    func spellings() throws {
        // Parts that are empty count for nothing: `..a...b.` stands for the same as `a.b`.
        let dots = (0..<60).map { String(repeating: ".", count: $0) }
        var members: [String] = []
        for before in 0..<60 {
            for between in 0..<(60 - before) {
                for behind in 0..<(60 - before - between) {
                    members.append("\"\(dots[before])a.\(dots[between])b\(dots[behind])\":\(members.count)")
                }
            }
        }
        let body = "{\(members.joined(separator: ","))}"
        #expect(try FilterHarness.matches(#"{"a":{"b":[0]}}"#, body: body))
        #expect(try FilterHarness.matches(#"{"a":{"b":[\#(members.count - 1)]}}"#, body: body))
        #expect(try !FilterHarness.matches(#"{"a":{"b":[\#(members.count)]}}"#, body: body))
    }

    @Test("the time to read names below one name grows with their number alone", .timeLimit(.minutes(20)))
    func many() throws {
        let members = (0..<60_000).map { "\"a.n\($0)\":\($0)" }.joined(separator: ",")
        #expect(try FilterHarness.matches(#"{"a":{"n0":[0],"n59999":[59999]}}"#, body: "{\(members)}"))
    }

    @Test(
        "all members below one name are one object, also beside a value or a list",
        arguments: [
            (#"{"a":{"b":{"c":[1],"d":[2]}}}"#, #"{"a.b.c":1,"a.b":5,"a.b.d":2}"#, true),
            (#"{"a":{"b":[5]}}"#, #"{"a.b.c":1,"a.b":5,"a.b.d":2}"#, true),
            (#"{"a":{"b":{"c":[1],"d":[2]}}}"#, #"{"a.b.c":1,"a.b":[{"d":2}]}"#, false),
            (#"{"a":{"b":["x"],"c":["y"]}}"#, #"{"a.b":"x","a":{"c":["z","y"]}}"#, true),
            (#"{"a":{"b":["x"]}}"#, #"{"a.b":"w","a":{"b":"x"}}"#, true),
        ]
    )
    func together(policy: String, body: String, isMatch: Bool) throws {
        #expect(try FilterHarness.matches(policy, body: body) == isMatch)
    }
}
