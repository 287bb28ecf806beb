// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// h2load as the other side of a measurement: the same requests from a program that does nothing else.
struct H2Load {
    let port: Int
    let authorization: String
    let tokens: [String]
    let arguments: BenchArguments
    let directory: URL

    /// Sends the requests from one core and says how many a second were answered.
    func run(core: Int, expecting status: String = "2xx") async throws -> Double {
        let uris = self.directory.appending(path: "uris.txt")
        let payload = self.directory.appending(path: "payload.json")
        let lines = self.tokens.map { "https://localhost:\(self.port)/3/device/\($0)" }
        try Data(lines.joined(separator: "\n").utf8).write(to: uris)
        try Data(BenchNotification.payload.utf8).write(to: payload)
        let (executable, arguments) = Cores.pinned(
            try Tool.path("h2load"),
            [
                "-n", "\(self.arguments.requests)", "-c", "\(self.arguments.connections)",
                "-m", "\(self.arguments.streams)", "-t", "1", "-i", uris.path, "-d", payload.path,
                "-H", "authorization: \(self.authorization)", "-H", "apns-topic: \(BenchNotification.topic)",
                "-H", "apns-push-type: alert", "-H", "apns-priority: 10",
            ],
            to: core
        )
        let log = self.directory.appending(path: "h2load.log").path
        return try Self.rate(in: await Tool.run(executable, arguments, log: log), expecting: status)
    }

    /// Reads h2load's report, and makes sure that what it measured were answers of the status that was meant.
    static func rate(in report: [String], expecting status: String) throws -> Double {
        let finished = report.first { $0.hasPrefix("finished in") }
        let rate = finished?.split(separator: ",").first { $0.contains("req/s") }?
            .split(separator: " ").first.flatMap { Double($0) }
        let codes = report.first { $0.hasPrefix("status codes:") } ?? ""
        let counts = codes.dropFirst("status codes:".count).split(separator: ",")
        let meant = counts.first { $0.contains(status) }?.split(separator: " ").first.flatMap { Int($0) } ?? 0
        let others = counts.filter { !$0.contains(status) }
            .compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }.reduce(0, +)
        guard let rate, meant > 0, others == 0 else {
            let text = report.joined(separator: " | ")
            throw CommandFailure("bad_report", "h2load got other answers than \(status): \(text)")
        }
        return rate
    }
}
