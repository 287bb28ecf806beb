// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import APNsSimulator

@Suite("JSON syntax")
struct JSONSyntaxTests {
    private func isObject(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer { JSONSyntax.isObject($0) }
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
        #expect(self.isObject(nested(100)))
        #expect(!self.isObject(nested(100_000)))
    }
}
