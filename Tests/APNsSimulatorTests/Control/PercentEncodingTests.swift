// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird
import NIOCore
import Testing

@testable import APNsSimulator

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test(
        "a segment of a path and a value of a query differ in the plus sign alone",
        arguments: [
            ("plain", "plain", "plain"), ("a%20b", "a b", "a b"), ("a+b", "a+b", "a b"), ("a%2Bb", "a+b", "a+b"),
            ("%e6%97%A5", "日", "日"), ("日", "日", "日"), ("%", nil, nil), ("%4", nil, nil), ("%zz", nil, nil),
            ("%ff", nil, nil), ("%ed%a0%80", nil, nil), ("", "", ""),
        ] as [(String, String?, String?)]
    )
    func decoding(text: String, segment: String?, value: String?) {
        #expect(PercentEncoding.decode(text) == segment)
        #expect(PercentEncoding.decode(text, form: true) == value)
    }

    @Test("a parameter whose encoding is broken is named", arguments: ["limit=%zz", "limit=%ff"])
    func brokenQuery(query: String) {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/v1/devices?\(query)")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let problem = #expect(throws: ControlProblem.self) { try ControlQuery(request) }
        #expect(problem?.field == "limit")
        #expect(problem?.code == .invalidValue)
    }
}
