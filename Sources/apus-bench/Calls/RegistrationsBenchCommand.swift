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
        abstract: "Registrations of known and new devices compared with GET /healthz, and an import of a file."
    )

    /// More new devices than any server registers in a second.
    private static let newDevicesPerSecond = 30_000

    @OptionGroup var calls: CallBenchArguments

    @Option(help: "How many devices the file has that is imported.")
    var importDevices = 100_000

    private struct Round: Sendable {
        let healthz: Double
        let known: CallBench.Measured
        let new: CallBench.Measured
        let importNew: Double
        let importKnown: Double
    }

    /// The input of every round, created once.
    private struct Input: Sendable {
        let known: [String]
        let new: [String]

        /// A file for the import, a line for each device.
        let file: String
    }

    private struct Report: Encodable {
        var healthzPerS: Double
        var knownPerS: Double
        var knownRatio: Double
        var knownCpuUs: Double
        var newPerS: Double
        var newRatio: Double
        var newCpuUs: Double
        var importNewPerS: Double
        var importKnownPerS: Double
        var importNewRatio: Double
        var importKnownRatio: Double
        var tableImportPerS: Double
    }

    func validate() throws { try self.check("--import-devices", self.importDevices, in: 1000...10_000_000) }

    func run() async throws {
        let input = try self.input()
        var tableImports: [Double] = []
        let (devices, url) = (self.calls.devices, self.calls.storeURL)
        let rounds = try await self.calls.rounds.measure(
            devices: devices,
            badRate: 0,
            isSealed: self.calls.sealed,
            storeURL: url
        ) { bench in
            try await self.measure(bench, input)
        } check: { store in
            let tableImport = TableImport(store: store, rows: "installation LIKE 'file-%'")
            tableImports.append(try await tableImport.perSecond(count: self.importDevices))
        }
        func importRatio(_ part: (Round) -> Double) -> Double {
            zip(rounds, tableImports).map { part($0) / $1 }.median.rounded(toPlaces: 3)
        }
        func ratio(_ part: (Round) -> CallBench.Measured) -> Double {
            rounds.map { part($0).perSecond / $0.healthz }.median.rounded(toPlaces: 3)
        }
        let known = MedianCalls(rounds.map(\.known))
        let new = MedianCalls(rounds.map(\.new))
        let report = Report(
            healthzPerS: rounds.map(\.healthz).median.rounded(),
            knownPerS: known.perSecond,
            knownRatio: ratio(\.known),
            knownCpuUs: known.cpuMicroseconds,
            newPerS: new.perSecond,
            newRatio: ratio(\.new),
            newCpuUs: new.cpuMicroseconds,
            importNewPerS: rounds.map(\.importNew).median.rounded(),
            importKnownPerS: rounds.map(\.importKnown).median.rounded(),
            importNewRatio: importRatio(\.importNew),
            importKnownRatio: importRatio(\.importKnown),
            tableImportPerS: tableImports.median.rounded()
        )
        if self.calls.rounds.output.json { return try Console.report(report) }
        Console.out("known   \(Int(report.knownPerS))/s, \(report.knownRatio) of /healthz, \(report.knownCpuUs) us CPU")
        Console.out("new     \(Int(report.newPerS))/s, \(report.newRatio) of /healthz, \(report.newCpuUs) us CPU")
        Console.out("import  \(Int(report.importNewPerS))/s new, \(Int(report.importKnownPerS))/s known")
        Console.out("        \(report.importNewRatio) and \(report.importKnownRatio) of the tool of the database")
    }

    private func input() throws -> Input {
        let population = try BenchPopulation(count: self.calls.devices, badRate: 0)
        let known = try (0..<population.configuration.count).map { try population.registration($0) }
        func registrations(_ name: String, _ tokens: some Sequence<String>) throws -> [DeviceRegistration] {
            try tokens.enumerated().map { number, token in
                var registration = known[number % known.count]
                registration.installation = try DeviceID(validating: "\(name)-\(number)")
                registration.token = try DeviceToken(hex: token)
                return registration
            }
        }
        let newDevices = Self.newDevicesPerSecond * self.calls.seconds
        let tokens = BenchNotification.tokens(newDevices + self.importDevices)
        return Input(
            known: try known.shuffled().map(Self.item),
            new: try registrations("new", tokens.prefix(newDevices)).map(Self.item),
            file: try Self.lines(of: registrations("file", tokens.dropFirst(newDevices)))
        )
    }

    private func measure(_ bench: BenchmarkEnvironment, _ input: Input) async throws -> Round {
        let call = WRK.Call(
            method: "PUT",
            path: "/v1/apps/\(bench.app)/devices/{1}",
            headers: ["Content-Type": "application/json"],
            body: "{2}"
        )
        let knownCalls = CallBench(bench.stage, items: input.known, seconds: self.calls.seconds)
        let newCalls = CallBench(bench.stage, items: input.new, seconds: self.calls.seconds)
        let healthz = try await knownCalls.healthz()
        let known = try await knownCalls.measure("known devices", call)
        let new = try await newCalls.measure("new devices", call)
        guard new.count <= input.new.count else {
            throw CommandError("bad_run", "There were \(input.new.count) new devices, for \(new.count) calls.")
        }
        let file = "\(bench.stage.directory)/devices.ndjson"
        try input.file.write(toFile: file, atomically: true, encoding: .utf8)
        return Round(
            healthz: healthz,
            known: known,
            new: new,
            importNew: try await self.importFile(file, of: "new", to: bench),
            importKnown: try await self.importFile(file, of: "known", to: bench)
        )
    }

    /// Imports a file of new devices, or the same file again.
    ///
    /// - Returns: devices per second.
    private func importFile(_ file: String, of name: String, to bench: BenchmarkEnvironment) async throws -> Double {
        let upload = try Upload(file, mediaType: "application/x-ndjson")
        var answer = Data()
        let taken = try await ContinuousClock().measure {
            let path = "/v1/apps/\(bench.app)/devices:import"
            try await bench.stage.api.transfer(.post, path, upload: upload) { answer.append($0) }
        }
        let end = String(decoding: answer, as: UTF8.self).split(separator: "\n").last ?? ""
        guard end.contains(#""reason":"completed""#), end.contains(#""imported":\#(self.importDevices)"#) else {
            throw CommandError("bad_run", "The import did not store every device: \(end)")
        }
        let perSecond = Double(self.importDevices) / (taken / .seconds(1))
        Console.note("import of \(name) devices: \(Int(perSecond))/s")
        return perSecond
    }

    /// A device for `wrk`: its ID, and after a tab the body of its registration.
    private static func item(_ registration: DeviceRegistration) throws -> String {
        "\(registration.installation.rawValue)\t\(try self.json(registration, device: nil))"
    }

    private static func lines(of registrations: some Sequence<DeviceRegistration>) throws -> String {
        try registrations.map { try self.json($0, device: $0.installation.rawValue) + "\n" }.joined()
    }

    private static func json(_ registration: DeviceRegistration, device: String?) throws -> String {
        struct Body: Encodable {
            let device: String?
            let token: String
            let platform: String?
            let appVersion, locale, timeZone, userID: String?
            let tags: [String: String]
        }
        let profile = registration.profile
        let body = Body(
            device: device,
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
