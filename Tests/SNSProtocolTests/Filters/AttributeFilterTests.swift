// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Filter policies on attributes")
struct AttributeFilterTests {
    @Test(
        "each operator matches what it says",
        arguments: [
            (#"{"a":["x"]}"#, "String:x", true), (#"{"a":["x"]}"#, "String:X", false),
            (#"{"a":["x","y"]}"#, "String:y", true),
            (#"{"a":["5"]}"#, "Number:5", false), (#"{"a":[5]}"#, "String:5", false),
            (#"{"a":[5]}"#, "Number:5.0", true),
            (#"{"a":[5]}"#, "Number.int:5", true), (#"{"a":[5.5]}"#, "Number:5.50", true),
            (#"{"a":["x"]}"#, "String.tag:x", true),
            (#"{"a":[{"prefix":"ab"}]}"#, "String:abc", true), (#"{"a":[{"prefix":"ab"}]}"#, "String:cab", false),
            (#"{"a":[{"prefix":"寿"}]}"#, "String:寿司", true), (#"{"a":[{"suffix":"bc"}]}"#, "String:abc", true),
            (#"{"a":[{"suffix":"bc"}]}"#, "String:bcd", false), (#"{"a":[{"suffix":"司"}]}"#, "String:寿司", true),
            (#"{"a":[{"suffix":"abc"}]}"#, "String:bc", false),
            (#"{"a":[{"equals-ignore-case":"TenNis"}]}"#, "String:tENNIS", true),
            (#"{"a":[{"equals-ignore-case":"tennis"}]}"#, "String:tennis1", false),
            (#"{"a":[{"anything-but":"x"}]}"#, "String:y", true), (#"{"a":[{"anything-but":"x"}]}"#, "String:x", false),
            (#"{"a":[{"anything-but":["x","y"]}]}"#, "String:y", false),
            (#"{"a":[{"anything-but":["x","y"]}]}"#, "String:z", true),
            (#"{"a":[{"anything-but":5}]}"#, "Number:5", false), (#"{"a":[{"anything-but":5}]}"#, "Number:6", true),
            (#"{"a":[{"anything-but":[5,6]}]}"#, "Number:6.0", false),
            (#"{"a":[{"anything-but":{"prefix":"x-"}}]}"#, "String:x-1", false),
            (#"{"a":[{"anything-but":{"prefix":"x-"}}]}"#, "String:y-1", true),
            (#"{"a":[{"numeric":["=",301.5]}]}"#, "Number:3.015e2", true),
            (#"{"a":[{"numeric":["<",5]}]}"#, "Number:5", false), (#"{"a":[{"numeric":["<=",5]}]}"#, "Number:5", true),
            (#"{"a":[{"numeric":[">",5]}]}"#, "Number:5", false), (#"{"a":[{"numeric":[">=",5]}]}"#, "Number:5", true),
            (#"{"a":[{"numeric":[">",0,"<=",150]}]}"#, "Number:150", true),
            (#"{"a":[{"numeric":[">",0,"<=",150]}]}"#, "Number:0", false),
            (#"{"a":[{"numeric":[">=",-3,"<",-1]}]}"#, "Number:-2.5", true),
            (#"{"a":[{"numeric":[">",0]}]}"#, "String:5", false),
            (#"{"a":[{"exists":true}]}"#, "String:x", true), (#"{"a":[{"exists":false}]}"#, "String:x", false),
            (#"{"a":[{"exists":true}]}"#, "Binary:", true), (#"{"a":["x",{"anything-but":"y"}]}"#, "Binary:", false),
            (#"{"a":[{"cidr":"10.0.0.0/24"}]}"#, "String:10.0.0.255", true),
            (#"{"a":[{"cidr":"10.0.0.0/24"}]}"#, "String:10.0.1.0", false),
            (#"{"a":[{"cidr":"2001:db8::/32"}]}"#, "String:2001:0DB8:1::5", true),
            (#"{"a":[{"cidr":"10.0.0.0/24"}]}"#, "String:localhost", false),
            (#"{"a":["b"]}"#, #"String.Array:["a","b"]"#, true), (#"{"a":["c"]}"#, #"String.Array:["a","b"]"#, false),
            (#"{"a":[1,true]}"#, #"String.Array:["a",true]"#, true), (#"{"a":[null]}"#, "String.Array:[null]", true),
            (#"{"a":[2]}"#, "String.Array:[1,2]", true), (#"{"a":["a"]}"#, "String.Array:a", false),
            (#"{"a":[100]}"#, "String.Array:100", true), (#"{"a":["b"]}"#, #"String.Array:{"a":"b"}"#, false),
            (#"{"a":[{"exists":true}]}"#, "String.Array:[]", true), (#"{"a":["[\"a\"]"]}"#, #"String:["a"]"#, true),
            (#"{"a":[{"anything-but":["rugby"]}]}"#, #"String.Array:["rugby","tennis"]"#, true),
            (#"{"a":[{"anything-but":["rugby"]}]}"#, #"String.Array:["rugby"]"#, false),
        ]
    )
    func operators(policy: String, attribute: String, isMatch: Bool) throws {
        #expect(try FilterHarness.matches(policy, attributes: ["a": attribute]) == isMatch)
    }

    @Test(
        "what is absent matches only what asks for that",
        arguments: [
            (#"{"a":[{"exists":false}]}"#, true), (#"{"a":["x",{"exists":false}]}"#, true), (#"{"a":["x"]}"#, false),
            (#"{"a":[{"anything-but":"x"}]}"#, false), (#"{"a":[{"anything-but":{"prefix":"x"}}]}"#, false),
            (#"{"a":[null]}"#, false), (#"{"a":[{"numeric":["<",5]}]}"#, false), ("{}", true),
        ]
    )
    func absent(policy: String, isMatch: Bool) throws {
        #expect(try FilterHarness.matches(policy, attributes: ["b": "String:x"]) == isMatch)
        #expect(try FilterHarness.matches(policy, attributes: [:]) == isMatch)
    }

    @Test(
        "names are joined by and, choices by or",
        arguments: [
            ("String:1", "String:2", true), ("String:1", "String:3", false), ("String:9", "String:2", false),
            ("String:9", "String:8", true),
        ]
    )
    func joined(first: String, second: String, isMatch: Bool) throws {
        let policy = #"{"$or":[{"a":["1"],"b":["2"]},{"a":["9"],"$or":[{"b":["8"]},{"c":["8"]}]}]}"#
        #expect(try FilterHarness.matches(policy, attributes: ["a": first, "b": second]) == isMatch)
    }

    @Test("a choice is joined with the other names by and")
    func choice() throws {
        let policy = #"{"source":["s"],"$or":[{"type":["t"]},{"space":[{"exists":true}]}]}"#
        for (attributes, isMatch) in [
            (["source": "String:s", "type": "String:t"], true), (["source": "String:s", "space": "Binary:"], true),
            (["source": "String:s"], false), (["type": "String:t"], false),
        ] {
            #expect(try FilterHarness.matches(policy, attributes: attributes) == isMatch)
        }
    }

    @Test("dots are letters in names of attributes")
    func dots() throws {
        #expect(try FilterHarness.matches(#"{"a.b":["x"]}"#, attributes: ["a.b": "String:x"]))
    }

    @Test("numbers fall in ranges as they compare")
    func ranges() throws {
        for _ in 0..<300 {
            let (low, high) = (Int.random(in: -50...50), Int.random(in: -50...50))
            let number = Int.random(in: -60...60)
            guard low < high else { continue }
            for (left, right) in [(">", "<"), (">=", "<="), (">", "<="), (">=", "<")] {
                let policy = #"{"a":[{"numeric":["\#(left)",\#(low),"\#(right)",\#(high)]}]}"#
                let expected =
                    (left == ">" ? number > low : number >= low) && (right == "<" ? number < high : number <= high)
                #expect(try FilterHarness.matches(policy, attributes: ["a": "Number:\(number)"]) == expected)
            }
        }
    }

    @Test("anything-but is the contrary of its list, for texts that are there")
    func contrary() throws {
        let words = ["a", "b", "ab", "A", "", "寿司", "x.y"]
        for _ in 0..<200 {
            let list = words.shuffled().prefix(Int.random(in: 1...4)).map { "\"\($0)\"" }.joined(separator: ",")
            let text = words.randomElement() ?? ""
            let own = try FilterHarness.matches("{\"a\":[\(list)]}", attributes: ["a": "String:\(text)"])
            let other = try FilterHarness.matches(
                "{\"a\":[{\"anything-but\":[\(list)]}]}",
                attributes: ["a": "String:\(text)"]
            )
            #expect(own != other)
        }
    }
}
