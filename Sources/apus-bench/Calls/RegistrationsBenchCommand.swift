// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel

/// `apus-bench registrations`: devices that register one by one, and files of them.
struct RegistrationsBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registrations",
        abstract: "Registrations of known and new devices beside GET /healthz, and an import of a file."
    )

    /// How many new devices register one by one at most, and how many a file has.
    private static let newDevices = 200_000

    @OptionGroup var calls: CallBenchArguments

    private struct Round: Sendable {
        let healthz: Double
        let known: CallBench.Measured
        let new: CallBench.Measured
        let importNew: Double
        let importKnown: Double
    }

    private struct Report: Encodable {
        var healthzPerSecond: Double
        var knownPerSecond: Double
        var knownRatio: Double
        var knownCPU: Double
        var newPerSecond: Double
        var newRatio: Double
        var newCPU: Double
        var importNewPerSecond: Double
        var importKnownPerSecond: Double

        private enum CodingKeys: String, CodingKey {
            case healthzPerSecond = "healthz_per_s"
            case knownPerSecond = "known_per_s"
            case knownRatio = "known_ratio"
            case knownCPU = "known_cpu_us"
            case newPerSecond = "new_per_s"
            case newRatio = "new_ratio"
            case newCPU = "new_cpu_us"
            case importNewPerSecond = "import_new_per_s"
            case importKnownPerSecond = "import_known_per_s"
        }
    }

    func run() async throws {
        let rounds = try await self.calls.rounds { bench in try await self.measure(bench) }
        func ratio(_ part: (Round) -> CallBench.Measured) -> Double {
            rounds.map { part($0).perSecond / $0.healthz }.median.rounded(toPlaces: 3)
        }
        let known = MedianCalls(rounds.map(\.known))
        let new = MedianCalls(rounds.map(\.new))
        let report = Report(
            healthzPerSecond: rounds.map(\.healthz).median.rounded(),
            knownPerSecond: known.perSecond,
            knownRatio: ratio(\.known),
            knownCPU: known.cpuMicroseconds,
            newPerSecond: new.perSecond,
            newRatio: ratio(\.new),
            newCPU: new.cpuMicroseconds,
            importNewPerSecond: rounds.map(\.importNew).median.rounded(),
            importKnownPerSecond: rounds.map(\.importKnown).median.rounded()
        )
        if self.calls.output.json { return try Console.json(report) }
        Console.out(
            "known   \(Int(report.knownPerSecond))/s, \(report.knownRatio) of /healthz, \(report.knownCPU) us CPU"
        )
        Console.out("new     \(Int(report.newPerSecond))/s, \(report.newRatio) of /healthz, \(report.newCPU) us CPU")
        Console.out("import  \(Int(report.importNewPerSecond))/s new, \(Int(report.importKnownPerSecond))/s known")
    }

    private func measure(_ bench: BenchStage) async throws -> Round {
        let population = bench.population
        let known = try (0..<population.configuration.count).map { try population.registration($0) }
        let template = known[0]
        let tokens = BenchNotification.tokens(2 * Self.newDevices)
        let new = try tokens.enumerated().map { number, token in
            var registration = template
            registration.installation = try InstallationID(validating: "new-\(number)")
            registration.token = try DeviceToken(hex: token)
            return registration
        }
        let single = try new.prefix(Self.newDevices).map(Self.item)
        let call = WRK.Call(
            method: "PUT",
            path: "/v1/apps/\(bench.app)/devices/{item}",
            headers: ["Content-Type": "application/json"],
            body: "{rest}",
            inOrder: true
        )
        let knownCalls = CallBench(bench, items: try known.shuffled().map(Self.item), seconds: self.calls.seconds)
        let file = "\(bench.stage.directory)/devices.ndjson"
        try Self.lines(of: new.suffix(Self.newDevices)).write(toFile: file, atomically: true, encoding: .utf8)
        return Round(
            healthz: try await knownCalls.healthz(),
            known: try await knownCalls.measure(call),
            new: try await CallBench(bench, items: single, seconds: self.calls.seconds).measure(call),
            importNew: try await self.importFile(file, to: bench),
            importKnown: try await self.importFile(file, to: bench)
        )
    }

    /// Imports a file of new devices, or the same file again.
    ///
    /// - Returns: devices per second.
    private func importFile(_ file: String, to bench: BenchStage) async throws -> Double {
        let upload = try Upload(file, mediaType: "application/x-ndjson")
        var answer = Data()
        let taken = try await ContinuousClock().measure {
            let path = "/v1/apps/\(bench.app)/devices:import"
            try await bench.stage.api.transfer(.post, path, upload: upload) { answer.append($0) }
        }
        let end = String(decoding: answer, as: UTF8.self).split(separator: "\n").last ?? ""
        guard end.contains(#""reason":"complete""#), end.contains(#""imported":\#(Self.newDevices)"#) else {
            throw CommandFailure("bad_run", "The import did not store every device: \(end)")
        }
        return Double(Self.newDevices) / (taken / .seconds(1))
    }

    /// A device for `wrk`: its ID, and after a tab the body of its registration.
    private static func item(_ registration: DeviceRegistration) throws -> String {
        "\(registration.installation.rawValue)\t\(try self.json(registration, installation: nil))"
    }

    private static func lines(of registrations: some Sequence<DeviceRegistration>) throws -> String {
        try registrations.map { try self.json($0, installation: $0.installation.rawValue) + "\n" }.joined()
    }

    private static func json(_ registration: DeviceRegistration, installation: String?) throws -> String {
        struct Body: Encodable {
            let installation: String?
            let token: String
            let platform: String?
            let appVersion, locale, timeZone, userID: String?
            let tags: [String: String]
        }
        let profile = registration.profile
        let body = Body(
            installation: installation,
            token: registration.token.hex,
            platform: profile.platform?.rawValue,
            appVersion: profile.appVersion,
            locale: profile.locale,
            timeZone: profile.timeZone,
            userID: profile.userID?.rawValue,
            tags: profile.tags
        )
        return String(decoding: try JSON.encoder.encode(body), as: UTF8.self)
    }
}
