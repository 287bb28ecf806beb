// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// `wrk` as the load generator: calls of one kind on some connections, each after the response to the one before.
struct WRK: Sendable {
    /// The measured values of one run, as reported by `wrk`.
    struct Report: Decodable, Sendable {
        let requests: Int
        let microseconds: Double

        /// Unit: milliseconds.
        let p50: Double
        let p99: Double

        let failures: Int

        var perSecond: Double { Double(self.requests) * 1e6 / self.microseconds }
    }

    /// A call whose path, headers and body may have placeholders.
    ///
    /// `{1}`, `{2}` and so on are the fields of an item. `{n}` is a number that counts up, in headers only.
    struct Call: Sendable {
        var method = "GET"
        var path: String
        var headers: [String: String] = [:]
        var body: String?

        /// The pause of a connection before each call; 0 for the maximum rate.
        var pauseMilliseconds = 0

        /// Whether the server is expected to reject the calls.
        var isRejected = false
    }

    let url: String
    let key: String
    let directory: String

    /// The items of the calls, used in order and then again, each with its fields between tabs.
    var items: [String] = []

    /// Repeats a call at the maximum rate of the server.
    ///
    /// - Throws: ``CommandError`` if a response is not a success, unless rejections are expected.
    func run(_ call: Call, connections: Int, seconds: Int) async throws -> Report {
        // Two runs may overlap.
        let run = UUID().uuidString
        let script = "\(self.directory)/call-\(run).lua"
        let items = "\(self.directory)/items-\(run).txt"
        defer { for file in [script, items] { try? FileManager.default.removeItem(atPath: file) } }
        try self.items.joined(separator: "\n").write(toFile: items, atomically: true, encoding: .utf8)
        try self.script(call, items: items).write(toFile: script, atomically: true, encoding: .utf8)
        let lines = try await ExternalTool.run(
            ExternalTool.path("wrk"),
            ["-t", "1", "-c", "\(connections)", "-d", "\(seconds)s", "--timeout", "60s", "-s", script, self.url],
            log: "\(self.directory)/wrk.log"
        )
        let report = lines.last.flatMap { try? JSON.decoder.decode(Report.self, from: Data($0.utf8)) }
        guard let report, report.requests > 0, report.failures == 0 || call.isRejected else {
            let text = lines.suffix(5).joined(separator: " | ")
            throw CommandError(
                "bad_report",
                "wrk got no response, or failures, for \(call.method) \(call.path): \(text)"
            )
        }
        return report
    }

    /// The requests are written before the clock runs, so that the script only selects one for each call.
    private func script(_ call: Call, items: String) -> String {
        let headers = call.headers.merging(["Authorization": "Bearer \(self.key)"]) { own, _ in own }
            .map { "[ [==[\($0.key)]==] ] = fill([==[\($0.value)]==])" }.sorted().joined(separator: ", ")
        let pause =
            call.pauseMilliseconds == 0 ? "" : "function delay() return \(call.pauseMilliseconds) end\n"
        let body = call.body.map { "[==[\($0)]==]" } ?? "nil"
        return pause + """
            local heads, tails, n = {}, {}, 0
            local function write(fields)
                local function fill(text)
                    return text and (text:gsub("{(%d)}", function(place) return fields[tonumber(place)] end))
                end
                local text = wrk.format("\(call.method)", fill([==[\(call.path)]==]), { \(headers) }, fill(\(body)))
                local first, last = text:find("{n}", 1, true)
                heads[#heads + 1] = text:sub(1, (first or #text + 1) - 1)
                tails[#heads] = last and text:sub(last + 1)
            end
            function init()
                for line in io.lines("\(items)") do
                    local fields = {}
                    for field in (line .. "\\t"):gmatch("([^\\t]*)\\t") do fields[#fields + 1] = field end
                    write(fields)
                end
            end
            function request()
                local place = n % #heads + 1
                n = n + 1
                local tail = tails[place]
                return tail and heads[place] .. n .. tail or heads[place]
            end
            function done(summary, latency)
                local errors = summary.errors
                local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
                io.write(string.format(
                    '\\n{"requests":%d,"microseconds":%d,"p50":%.3f,"p99":%.3f,"failures":%d}\\n', summary.requests,
                    summary.duration, latency:percentile(50) / 1000, latency:percentile(99) / 1000, failures))
            end
            """
    }
}
