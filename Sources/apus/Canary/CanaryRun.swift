// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// Sends every case to APNs and to the simulator, one request after another, and compares the responses.
struct CanaryRun {
    var apns: CanaryServer
    var simulator: CanaryServer

    /// The time between two requests, so that APNs sees no burst.
    let pause: Duration

    /// - Throws: ``CommandError`` when APNs does not respond to the first request.
    mutating func run(onStep: (CanaryCase) -> Void) async throws -> CanaryReport {
        var report = CanaryReport()
        for canary in CanaryCase.all {
            let now = Date()
            guard let request = try canary.request(self.apns.targets, now) else {
                report.skipped.append(.init(name: canary.name, needs: canary.needs))
                continue
            }
            if !report.cases.isEmpty { try await Task.sleep(for: self.pause) }
            onStep(canary)
            let response = try await self.apns.send(request, to: canary.service)
            if report.cases.isEmpty, let failure = response.failure {
                let message =
                    "APNs did not respond to the first request: \(failure)."
                    + " Check the host, the port, its certificate authority and the network."
                throw CommandError("unreachable", message)
            }
            var expected = CanaryResponse(failure: "its targets lack \(canary.needs)")
            if let request = try canary.request(self.simulator.targets, now) {
                expected = try await self.simulator.send(request, to: canary.service)
            }
            report.cases.append(
                CanaryReport.Comparison(
                    name: canary.name,
                    purpose: canary.purpose,
                    request: CanaryRequestText(request),
                    apns: response,
                    simulator: expected,
                    differences: response.differences(from: expected)
                )
            )
        }
        return report
    }

    /// The channel that the run has created and APNs has not deleted; `nil` where there is none.
    var remainingChannel: String? { self.apns.targets.channel }
}

/// The requests that `apus canary --send` sends.
struct CanaryPreview: Encodable {
    struct Entry: Encodable {
        let name: String
        let purpose: String
        let request: CanaryRequestText
    }

    var cases: [Entry] = []
    var skipped: [CanaryReport.Skipped] = []

    /// The requests for these targets, with a placeholder for the channel that only APNs can name.
    init(_ targets: CanaryTargets) throws {
        var targets = targets
        if targets.broadcasts { targets.channel = "(the created channel)" }
        let now = Date()
        for canary in CanaryCase.all {
            if let request = try canary.request(targets, now) {
                let text = CanaryRequestText(request)
                self.cases.append(Entry(name: canary.name, purpose: canary.purpose, request: text))
            } else {
                self.skipped.append(.init(name: canary.name, needs: canary.needs))
            }
        }
    }

    func show() {
        for entry in self.cases {
            Console.out("\(entry.name): \(entry.purpose)")
            for line in entry.request.lines { Console.out("  \(line)".printable) }
            Console.out("")
        }
        for skipped in self.skipped { Console.out("\(skipped.name) is not sent: it needs \(skipped.needs).") }
        Console.out("Nothing was sent. --send sends these \(self.cases.count) requests.")
    }
}
