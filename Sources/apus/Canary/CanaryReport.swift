// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import CommandLineSupport

/// The responses of APNs and of the simulator to each request of `apus canary`.
struct CanaryReport: Encodable {
    /// One request that both have processed.
    struct Comparison: Encodable {
        let name: String
        let purpose: String
        let request: CanaryRequestText
        let apns: CanaryResponse
        let simulator: CanaryResponse
        let differences: [String]
    }

    /// A case that was not sent, and its requirement.
    struct Skipped: Encodable {
        let name: String
        let needs: String
    }

    var cases: [Comparison] = []
    var skipped: [Skipped] = []

    private enum CodingKeys: String, CodingKey {
        case cases, skipped, alike, compared
    }

    /// How many responses are alike.
    var alike: Int { self.cases.count { $0.differences.isEmpty } }
    var isAlike: Bool { self.alike == self.cases.count }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.cases, forKey: .cases)
        try container.encode(self.skipped, forKey: .skipped)
        try container.encode(self.alike, forKey: .alike)
        try container.encode(self.cases.count, forKey: .compared)
    }

    /// The table, the skipped cases and the count.
    func show() {
        var table = TextTable(heading: "CASE", "APNS", "SIMULATOR", "RESULT")
        for comparison in self.cases {
            table.add(
                comparison.name,
                comparison.apns.summary,
                comparison.simulator.summary,
                comparison.differences.isEmpty
                    ? "same" : "different: \(comparison.differences.joined(separator: "; "))"
            )
        }
        for line in table.lines { Console.out(line.printable) }
        for skipped in self.skipped { Console.out("\(skipped.name) was not sent: it needs \(skipped.needs).") }
        Console.out("\(self.alike) of \(self.cases.count) alike")
    }
}

/// A request in words, without its provider token.
struct CanaryRequestText: Encodable {
    let method: String
    let path: String
    let headers: [String: String]

    /// The payload; of a longer one its beginning.
    let payload: String
    private static let maximumPayload = 512

    init(_ request: APNsRequest) {
        self.method = request.method
        self.path = request.path
        self.headers = Dictionary(request.headers.map { ("\($0.name)", $0.value) }) { $1 }
        let rest = request.body.count - Self.maximumPayload
        let text = String(decoding: request.body.prefix(Self.maximumPayload), as: UTF8.self)
        self.payload = rest > 0 ? "\(text)... and \(rest) bytes" : text
    }

    /// The request line, the headers and the payload.
    var lines: [String] {
        ["\(self.method) \(self.path)"] + self.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            + (self.payload.isEmpty ? [] : [self.payload])
    }
}
