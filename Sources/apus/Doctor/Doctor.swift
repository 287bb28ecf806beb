// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation
import Logging
import PushModel

/// Checks everything that a server with a configuration depends on, and changes nothing.
struct Doctor: Sendable {
    let configuration: ServerConfiguration

    /// Whether checks may not use the network.
    ///
    /// The database is opened all the same.
    let isOffline: Bool

    /// Whether APNs is asked if it accepts each credential.
    let asksAPNs: Bool
    let environment: [String: String]
    let now: Date

    /// What the checks read from the store; read once.
    let store: Task<StoreReading, Never>

    /// The master key, which a command may have to print; read once.
    let masterKey: Task<Result<MasterKey?, any Error>, Never>

    init(_ configuration: ServerConfiguration, isOffline: Bool, asksAPNs: Bool, environment: [String: String]) {
        self.configuration = configuration
        self.isOffline = isOffline
        self.asksAPNs = asksAPNs
        self.environment = environment
        self.now = Date()
        self.store = Task { await StoreReading(configuration) }
        self.masterKey = Task { Result { try MasterKeyFile.existingKey(configuration, logger: Self.silent) } }
    }

    /// A check: its name in the report, and a function that returns what it found.
    struct Check: Sendable {
        let name: String
        let run: @Sendable (Doctor) async -> [DoctorFinding]
    }

    /// All checks but that of the configuration, which the others need, in the order of the report.
    static let checks: [Check] = [
        Check(name: "data directory") { $0.checkDataDirectory() },
        Check(name: "disk space") { $0.checkDiskSpace() },
        Check(name: "open files") { $0.checkOpenFiles() },
        Check(name: "transport") { $0.checkTransport() },
        Check(name: "database") { await $0.checkDatabase() },
        Check(name: "master key") { await $0.checkMasterKey() },
        Check(name: "clock") { await $0.checkClock() },
        Check(name: "credentials") { await $0.checkCredentials() },
        Check(name: "API keys") { await $0.checkAPIKeys() },
        Check(name: "APNs sandbox") { await $0.checkAPNs(.sandbox) },
        Check(name: "APNs production") { await $0.checkAPNs(.production) },
        Check(name: "APNs sandbox channels") { await $0.checkChannels(.sandbox) },
        Check(name: "APNs production channels") { await $0.checkChannels(.production) },
    ]

    /// A logger for code that also logs what it returns.
    static let silent = Logger(label: "apus.doctor") { _ in SwiftLogNoOpLogHandler() }

    /// Runs all checks at once.
    static func examine(
        _ arguments: ConfigurationArguments,
        isOffline: Bool,
        asksAPNs: Bool,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async -> DoctorReport {
        let (findings, configuration) = self.readConfiguration(arguments, environment: environment)
        let first = DoctorReport.Check(name: "configuration", findings: findings)
        guard let configuration else {
            let skipped = [DoctorFinding.skipped("not run, because the configuration cannot be read")]
            return DoctorReport(
                checks: [first] + self.checks.map { DoctorReport.Check(name: $0.name, findings: skipped) }
            )
        }
        let doctor = Doctor(configuration, isOffline: isOffline, asksAPNs: asksAPNs, environment: environment)
        let results = await withTaskGroup(of: (Int, [DoctorFinding]).self) { group in
            for (index, check) in self.checks.enumerated() {
                group.addTask { (index, await doctor.run(check)) }
            }
            return await group.reduce(into: [Int: [DoctorFinding]]()) { $0[$1.0] = $1.1 }
        }
        let others = self.checks.enumerated().map { DoctorReport.Check(name: $1.name, findings: results[$0] ?? []) }
        return DoctorReport(checks: [first] + others)
    }

    /// How long a check may take: each step of a connection has its own timeout, and there are three.
    private var limit: Duration { .seconds(20 + 3 * self.configuration.apnsTimeoutSeconds) }

    /// Runs a check until its time is over.
    ///
    /// It is not awaited then, because name resolution and libpq block their threads.
    private func run(_ check: Check) async -> [DoctorFinding] {
        let (results, continuation) = AsyncStream.makeStream(of: [DoctorFinding].self)
        let limit = self.limit
        let work = Task { continuation.yield(await check.run(self)) }
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            let late = DoctorFinding.error(
                "The check did not end within \(limit.components.seconds) s.",
                effect: "The result is unknown. The same operation probably blocks a server too.",
                fix: "Look for a name server, database or file system that does not respond."
            )
            continuation.yield([late])
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        return await results.first { _ in true } ?? []
    }
}

// MARK: - Configuration

extension Doctor {
    private static let noStart = "apus serve, apus deliver and apus schedule do not start."

    /// Reads the configuration exactly as a server does.
    ///
    /// - Returns: the findings, and the configuration if it can be read.
    private static func readConfiguration(
        _ arguments: ConfigurationArguments,
        environment: [String: String]
    ) -> ([DoctorFinding], ServerConfiguration?) {
        var findings: [DoctorFinding] = []
        let configuration: ServerConfiguration
        let fix = "Correct the value where the message says it is set. docs/configuration.md lists all keys."
        do {
            var warnings: [String] = []
            configuration = try ServerConfiguration(
                try arguments.entries(environment: environment) { warnings.append($0) }
            )
            findings += warnings.map(self.exposedSecret)
        } catch {
            return ([.error(error, effect: self.noStart, fix: fix)], nil)
        }
        do {
            _ = try configuration.deliveryConfiguration()
        } catch {
            findings.append(
                .error(error, effect: self.noStart, fix: "Put the file back, or correct or remove the key.")
            )
        }
        let unknown = ConfigurationSources.unknownVariables(in: environment)
        if !unknown.isEmpty {
            findings.append(
                .warning(
                    "Unknown variables in the environment: \(unknown.joined(separator: ", ")).",
                    effect: "They are ignored, so the keys that they were meant for have other values.",
                    fix: "Correct or remove them. `apus config print` shows every key and its value."
                )
            )
        }
        return (findings.isEmpty ? [.ok("every key has a valid value")] : findings, configuration)
    }

    private static func exposedSecret(_ warning: String) -> DoctorFinding {
        let parts = warning.split(separator: " Run: ", maxSplits: 1)
        return .warning(
            String(parts.first ?? "").replacing("apus: warning: ", with: ""),
            effect: "They can open sealed credentials or the database with it.",
            fix: parts.count > 1 ? "Run: \(parts[1])" : "Run: chmod 600 on the file."
        )
    }
}

/// Checks everything that `apus serve` depends on with the same flags, environment and file.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems of a server: configuration, credentials, database, network.",
        discussion: """
            Run it on the machine and as the user of the server, with the flags and variables of the server, \
            which apus serve --help lists. It changes nothing. For each problem it prints the problem, its effect, and \
            the fix.

            The exit status is 0 if there is no error; warnings do not change it.
            """
    )

    @OptionGroup(visibility: .hidden) var arguments: ConfigurationArguments
    @OptionGroup var output: OutputArguments

    @Flag(help: "Do not connect to APNs. The command still opens the database.")
    var offline = false

    @Flag(help: "Send a push to a token that no device has, with each credential, to check that APNs accepts it.")
    var askApns = false

    func validate() throws {
        if self.offline, self.askApns { throw ValidationError("--ask-apns requires the network. Remove --offline.") }
    }

    func run() async throws {
        let report = await Doctor.examine(self.arguments, isOffline: self.offline, asksAPNs: self.askApns)
        if self.output.json { try Console.json(report) } else { report.lines.forEach(Console.out) }
        if !report.ok { throw ExitCode.failure }
    }
}
