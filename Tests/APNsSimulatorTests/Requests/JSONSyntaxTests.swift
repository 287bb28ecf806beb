// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import APNsSimulator

@Suite("JSON syntax")
struct JSONSyntaxTests {
    private func isObject(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer { JSONValidator.isObject($0) }
    }

    @Test(
        "objects are told from everything else",
        arguments: [
            ("{}", true), (" {\"a\" : 1}\n", true), ("{\"a\":[1,-2.5e+3,{}],\"b\":null,\"c\":[true,false]}", true),
            ("{\"日本語\":\"\\u65e5\\n\"}", true), ("{\"a\":0}", true), ("{\"a\":[]}", true), ("{\"a\":1e5}", true),
            ("", false), ("[]", false), ("1", false), ("{", false), ("{}}", false), ("{} x", false),
            ("{\"a\"}", false), ("{\"a\":}", false), ("{\"a\":1,}", false), ("{,}", false), ("{a:1}", false),
            ("{\"a\":01}", false), ("{\"a\":1.}", false), ("{\"a\":.5}", false), ("{\"a\":+1}", false),
            ("{\"a\":\"\\x\"}", false), ("{\"a\":\"\\u12g4\"}", false), ("{\"a\":\"\n\"}", false),
            ("{\"a\":\"\\ud83d\\ude00\"}", true), ("{\"a\":\"\\ud800\"}", false), ("{\"a\":\"\\ud800x\"}", false),
            ("{\"a\":\"\\ude00\"}", false), ("{\"a\":\"\\ud800\\u0041\"}", false),
            ("{\"a\":tru}", false), ("{\"a\":\"", false), ("{\"a\":[1,]}", false), ("{\"a\":1e}", false),
        ]
    )
    func objects(text: String, expected: Bool) {
        #expect(self.isObject(text) == expected)
    }

    @Test("deep nesting is refused, not followed to the end of the stack")
    func depth() {
        func nested(_ depth: Int) -> String {
            "{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(self.isObject(nested(127)))
        #expect(!self.isObject(nested(128)))
        #expect(!self.isObject(nested(100_000)))
        let objects = String(repeating: "{\"a\":", count: 100) + "[[{}]]" + String(repeating: "}", count: 100)
        #expect(self.isObject(objects))
        #expect(!self.isObject(objects + "}"))
        #expect(!self.isObject(objects.replacing("]]", with: "]}")))
    }

    @Test(
        "what is no UTF-8 is no JSON",
        arguments: [
            ([0xC3, 0xA9], true), ([0xE6, 0x97, 0xA5], true), ([0xF0, 0x9F, 0x90, 0xA6], true),
            ([0xED, 0x9F, 0xBF], true), ([0xF4, 0x8F, 0xBF, 0xBF], true), ([0xFF], false), ([0x80], false),
            ([0xC3], false), ([0xC0, 0x80], false), ([0xED, 0xA0, 0x80], false), ([0xE0, 0x80, 0x80], false),
            ([0xF4, 0x90, 0x80, 0x80], false), ([0xF0, 0x9F, 0x90], false), ([0xE6, 0x97, 0x22], false),
        ] as [([UInt8], Bool)]
    )
    func encoding(bytes: [UInt8], expected: Bool) {
        let document = Array(#"{"aps":{"alert":""#.utf8) + bytes + Array(#""}}"#.utf8)
        #expect(document.withUnsafeBufferPointer { JSONValidator.isObject($0) } == expected)
    }
}
