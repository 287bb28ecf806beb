// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import Testing

@Suite("Stored texts by name")
struct StoredTextsTests {
    @Test(
        "texts are decoded as they were encoded",
        arguments: [
            [:], ["a": ""], ["plan": "pro", "city": "Jena"], ["\"\\/\n\u{0}": "寿司 \u{1F363}"],
            // JSONValue rejects names with so many marks.
            ["a" + String(repeating: "\u{301}", count: 40): "b"],
        ]
    )
    func roundTrip(texts: [String: String]) throws {
        #expect(try StoredJSON.decodeTexts(StoredJSON.encode(texts), "texts") == texts)
    }

    @Test(
        "anything but an object of texts is corrupt",
        arguments: ["", "{", "[]", #"{"a":1}"#, #"{"a":"b","c":null}"#]
    )
    func corrupt(text: String) {
        #expect(throws: StoreError.self) { try StoredJSON.decodeTexts(text, "texts") }
    }
}
