// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// `wrk` as the load generator: the same call again and again on some connections.
struct WRK: Sendable {
    /// What one run measured, as `wrk` reports it.
    struct Report: Decodable, Sendable {
        let requests: Int
        let microseconds: Double
        let p99: Double
        let failures: Int

        var perSecond: Double { Double(self.requests) * 1e6 / self.microseconds }
    }

    /// A call whose path, headers and body may have placeholders.
    ///
    /// `{n}` is a number that counts up, `{item}` is an item up to its first tab, `{rest}` is what follows the tab.
    struct Call: Sendable {
        var method = "GET"
        var path: String
        var headers: [String: String] = [:]
        var body: String?

        /// Whether items are used in order, each once, instead of at random.
        var inOrder = false
    }

    let url: String
    let key: String
    let directory: String

    var items: [String] = []

    /// Makes a call as often as the server allows.
    ///
    /// - Throws: ``CommandFailure`` if a response is not a success.
    func run(_ call: Call, connections: Int, seconds: Int) async throws -> Report {
        let script = "\(self.directory)/call.lua"
        let items = "\(self.directory)/items.txt"
        try self.items.joined(separator: "\n").write(toFile: items, atomically: true, encoding: .utf8)
        try self.script(call, items: items).write(toFile: script, atomically: true, encoding: .utf8)
        let lines = try await Tool.run(
            Tool.path("wrk"),
            ["-t", "1", "-c", "\(connections)", "-d", "\(seconds)s", "--timeout", "60s", "-s", script, self.url],
            log: "\(self.directory)/wrk.log"
        )
        let report = lines.last.flatMap { try? JSON.decoder.decode(Report.self, from: Data($0.utf8)) }
        guard let report, report.requests > 0, report.failures == 0 else {
            let text = lines.suffix(5).joined(separator: " | ")
            throw CommandFailure(
                "bad_report",
                "wrk got no response, or failures, for \(call.method) \(call.path): \(text)"
            )
        }
        return report
    }

    private func script(_ call: Call, items: String) -> String {
        let headers = call.headers.merging(["Authorization": "Bearer \(self.key)"]) { $1 }
            .map { "[ [[\($0.key)]] ] = fill([[\($0.value)]])" }.sorted().joined(separator: ", ")
        return """
            local items = {}
            for line in io.lines("\(items)") do items[#items + 1] = line end
            local n, item, rest = 0, "", ""
            local function fill(text)
                if not text then return nil end
                text = text:gsub("{(%a+)}", { n = n, item = item, rest = rest })
                return text
            end
            local function make()
                return wrk.format("\(call.method)", fill([[\(call.path)]]), { \(headers) }, fill(\(call.body.map { "[[\($0)]]" } ?? "nil")))
            end
            local fixed
            local varies = \(call.varies)
            function request()
                n = n + 1
                if not varies then
                    fixed = fixed or make()
                    return fixed
                end
                if #items > 0 then
                    local line = items[\(call.inOrder ? "(n - 1) % #items + 1" : "math.random(#items)")]
                    item, rest = line:match("^([^\\t]*)\\t?(.*)$")
                end
                return make()
            end
            function done(summary, latency)
                local errors = summary.errors
                local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
                io.write(string.format('\\n{"requests":%d,"microseconds":%d,"p99":%.3f,"failures":%d}\\n',
                    summary.requests, summary.duration, latency:percentile(99) / 1000, failures))
            end
            """
    }
}

extension WRK.Call {
    /// Whether one request differs from the next.
    fileprivate var varies: Bool {
        ([self.path, self.body ?? ""] + self.headers.values).contains { text in
            ["{item}", "{rest}", "{n}"].contains { text.contains($0) }
        }
    }
}
