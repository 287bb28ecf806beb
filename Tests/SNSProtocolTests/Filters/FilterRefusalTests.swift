// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Filter policies that are refused")
struct FilterRefusalTests {
    @Test(
        "say why in SNS' words",
        arguments: [
            (#"{"a":"x"}"#, #""a" must be an object or an array"#), (#"{"a":[]}"#, "Empty arrays are not allowed"),
            (#"{"a":[["x"]]}"#, "Match value must be String, number, true, false, or null"),
            (#"{"a":[{"like":"x"}]}"#, "Unrecognized match type like"), (#"{"a":[{}]}"#, "Unrecognized match type }"),
            (#"{"a":[{"prefix":"x","suffix":"y"}]}"#, "Only one key allowed in match expression"),
            (#"{"a":[{"prefix":5}]}"#, "prefix match pattern must be a string"),
            (#"{"a":[{"suffix":null}]}"#, "suffix match pattern must be a string"),
            (#"{"a":[{"equals-ignore-case":[]}]}"#, "equals-ignore-case match pattern must be a string"),
            (#"{"a":[{"cidr":5}]}"#, "prefix match pattern must be a string"),
            (#"{"a":[{"exists":"true"}]}"#, "exists match pattern must be either true or false."),
            (#"{"a":[{"anything-but":{"suffix":"x"}}]}"#, "Unsupported anything-but pattern: suffix"),
            (#"{"a":[{"anything-but":[]}]}"#, "Empty arrays are not allowed"),
            (
                #"{"a":[{"anything-but":true}]}"#,
                "Value of anything-but must be an array or single string/number value."
            ),
            (#"{"a":[{"numeric":5}]}"#, "Value of numeric must be an array."),
            (#"{"a":[{"numeric":[]}]}"#, "Invalid member in numeric match: ]"),
            (#"{"a":[{"numeric":[5]}]}"#, "Invalid member in numeric match: 5"),
            (#"{"a":[{"numeric":["!=",5]}]}"#, "Unrecognized numeric range operator: !="),
            (#"{"a":[{"numeric":["="]}]}"#, "Value of equals must be numeric"),
            (#"{"a":[{"numeric":["=","5"]}]}"#, "Value of equals must be numeric"),
            (#"{"a":[{"numeric":[">=","5"]}]}"#, "Value of >= must be numeric"),
            (#"{"a":[{"numeric":["<",5,">",1]}]}"#, "Too many elements in numeric expression"),
            (#"{"a":[{"numeric":["=",5,"=",5]}]}"#, "Too many elements in numeric expression"),
            (#"{"a":[{"numeric":[">",5,7]}]}"#, "Bad value in numeric range: 7"),
            (#"{"a":[{"numeric":[">",5,">",7]}]}"#, "Bad numeric range operator: >"),
            (#"{"a":[{"numeric":[">",5,"<"]}]}"#, "Value of < must be numeric"),
            (#"{"a":[{"numeric":[">",5,"<",5]}]}"#, "Bottom must be less than top"),
            (#"{"a":[{"numeric":[">",5,"<",7,8]}]}"#, "Too many terms in numeric range expression"),
            (#"{"a":[1000000001]}"#, "Value must be between -1.0E9 and 1.0E9, inclusive"),
            (#"{"a":[{"numeric":["<",-1e10]}]}"#, "Value must be between -1.0E9 and 1.0E9, inclusive"),
            (#"{"a":[{"cidr":"10.0.0.0"}]}"#, "Malformed CIDR, one '/' required"),
            (#"{"a":[{"cidr":"10.0.0.0/x"}]}"#, "Malformed CIDR, mask bits must be an integer"),
            (#"{"a":[{"cidr":"10.0.0/8"}]}"#, "Nonstandard IP address: 10.0.0"),
            (#"{"a":[{"cidr":"10.0.0.0/33"}]}"#, "Malformed CIDR, mask bits must be 0...32, got 33"),
            (#"{"$or":[{"a":["x"]}]}"#, #""$or" must be an array of two or more objects"#),
            (#"{"a":{"b":["x"]}}"#, "Filter policy scope MessageAttributes does not support nested filter policy"),
            (#"{"a":{"b":"x"}}"#, #""b" must be an object or an array"#),
            (#"{"a":{"b":[{"like":"x"}]}}"#, "Unrecognized match type like"),
            (
                #"{"a":["1"],"b":["1"],"c":["1"],"d":["1"],"e":["1"],"f":["1"]}"#,
                "Filter policy can not have more than 5 keys"
            ), ("[]", "failed to parse JSON. Filter policy must be an object"),
            (#"{"a":["x"]"#, "failed to parse JSON. an unexpected end at byte 10"),
        ]
    )
    func reasons(policy: String, reason: String) {
        #expect(FilterHarness.fault(policy) == reason)
    }

    @Test("an empty object in a body is refused")
    func emptyObject() {
        #expect(FilterHarness.fault(#"{"a":{}}"#, .messageBody) == "Empty objects are not allowed")
    }

    /// A list of different texts.
    private static func list(_ count: Int) -> String {
        "[" + (0..<count).map { "\"v\($0)\"" }.joined(separator: ",") + "]"
    }

    @Test(
        "combinations are the product of values and depth, and choices add up",
        arguments: [
            (#"{"a":{"b":{"c":\#(Self.list(4))}},"d":{"e":\#(Self.list(3))}}"#, 72),
            (#"{"a":\#(Self.list(3)),"b":\#(Self.list(4)),"c":\#(Self.list(10))}"#, 120),
            (
                #"{"source":\#(Self.list(4)),"$or":[{"metricName":\#(Self.list(6))},{"metricType":\#(Self.list(4)),"metricId":\#(Self.list(4))},{"metricType":\#(Self.list(4)),"spaceId":\#(Self.list(4))}]}"#,
                152
            ),
            // Choices that nest, in an object and in one another.
            (
                #"{"$or":[{"metricName":\#(Self.list(3))},{"namespace":\#(Self.list(2))}],"detail":{"scope":\#(Self.list(2)),"$or":[{"source":\#(Self.list(1))},{"type":\#(Self.list(3))}]}}"#,
                160
            ),
            (
                #"{"source":\#(Self.list(3)),"$or":[{"metricName":\#(Self.list(6))},{"metricType":\#(Self.list(4)),"$or":[{"metricId":\#(Self.list(4))},{"spaceId":\#(Self.list(7))}]}]}"#,
                150
            ),
        ]
    )
    func combinations(policy: String, count: Int) {
        var limits = SNSLimits.sns
        limits.filterPolicyCombinations = count
        #expect(FilterHarness.fault(policy, .messageBody, limits: limits) == nil)
        limits.filterPolicyCombinations = count - 1
        #expect(FilterHarness.fault(policy, .messageBody, limits: limits) == "Filter policy is too complex")
    }

    @Test("SNS takes 150 combinations, the extended limits more, and no number is too large to count")
    func complexity() {
        let large = #"{"a":\#(Self.list(50)),"b":\#(Self.list(4))}"#
        #expect(FilterHarness.fault(large) == "Filter policy is too complex")
        #expect(FilterHarness.fault(large, limits: .extended) == nil)
        let names = (0..<40).map { #""n\#($0)":\#(Self.list(1000))"# }.joined(separator: ",")
        #expect(
            FilterHarness.fault("{\(names)}", limits: .extended) == "Filter policy is too long: at most 262144 bytes"
        )
        let fewer = (0..<40).map { #""n\#($0)":\#(Self.list(500))"# }.joined(separator: ",")
        #expect(FilterHarness.fault("{\(fewer)}", limits: .extended) == "Filter policy is too complex")
    }
}
