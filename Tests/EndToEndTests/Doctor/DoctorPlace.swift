// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import apus

/// A machine on which everything is in order, without a server.
///
/// It has a data directory, a store with an app and its key, and a simulator that is APNs in both environments.
struct DoctorPlace: Sendable {
    static let app = AppID(unchecked: "com.example.app")

    let directory: String
    let simulator: APNsSimulator

    /// The PostgreSQL database that is the store; `nil` means a file in the data directory.
    let storeURL: String?
    private let masterKey: MasterKey

    var data: String { "\(self.directory)/data" }

    /// Runs a test with such a machine.
    static func with(on store: TestStoreBackend = .sqlite, _ body: (DoctorPlace) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await withTestSimulator { simulator in
                switch store {
                case .sqlite: try await body(DoctorPlace(directory, simulator, storeURL: nil))
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        try await body(DoctorPlace(directory, simulator, storeURL: database.url))
                    }
                }
            }
        }
    }

    private init(_ directory: String, _ simulator: APNsSimulator, storeURL: String?) async throws {
        self.directory = directory
        self.simulator = simulator
        self.storeURL = storeURL
        try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/ca.pem"))
        self.masterKey = try await ServerStore.open(data: "\(directory)/data", url: storeURL) { store, _ in
            try await store.createApp(App(id: Self.app, createdAt: Date()))
            return try MasterKeyFile.make(in: "\(directory)/data")
        }
        try await self.addKey(simulator.demoKey.p8)
    }

    /// Changes the store.
    func withStore(_ body: (any PushStore) async throws -> Void) async throws {
        try await ServerStore.open(data: self.data, url: self.storeURL) { store, _ in try await body(store) }
    }

    /// Adds a key with the IDs of the simulator's key.
    func addKey(_ p8: String) async throws {
        let key = self.simulator.demoKey
        try await self.add(.key(keyID: key.keyID, teamID: key.teamID), content: p8)
    }

    /// Adds a push certificate of the simulator's authority.
    func addCertificate(bundleID: String = DoctorPlace.app.rawValue, lifetime: Duration) async throws {
        let request = PushCertificateRequest(bundleID: bundleID, lifetime: lifetime)
        let issued = try self.simulator.issueCertificate(request)
        try await self.add(.certificate(format: .pem), content: "\(issued.certificatePEM)\(issued.privateKeyPEM)")
    }

    private func add(_ kind: CredentialKind, content: String) async throws {
        let id = CredentialID(unchecked: "credential-\(UInt32.random(in: .min ... .max))")
        let sealed = self.masterKey.seal(CredentialMaterial(content: Array(content.utf8)), for: id)
        try await self.add(.sealed(sealed), id, kind)
    }

    /// Adds a key that stays in a file of the credential directory, with a mode.
    func addKeyFile(mode: Int) async throws -> String {
        let key = self.simulator.demoKey
        let credentials = "\(self.data)/credentials"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        let path = try self.write(key.p8, to: "data/credentials/key.p8", mode: mode)
        try await self.add(.file(path: path), "in-file", .key(keyID: key.keyID, teamID: key.teamID))
        return path
    }

    private func add(_ secret: CredentialSecret, _ id: CredentialID, _ kind: CredentialKind) async throws {
        let credential = Credential(id: id, app: Self.app, kind: kind, secret: secret, createdAt: Date())
        try await self.withStore { try await $0.addCredential(credential) }
    }

    /// Writes a file below the directory.
    ///
    /// - Returns: its path.
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let path = "\(self.directory)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Runs `apus doctor`; `arguments` come last, and so replace those for the simulator.
    func examine(
        _ arguments: [String] = [],
        asJSON: Bool = true,
        storeURL: String? = nil,
        environment: [String: String] = [:],
        through launcher: [String] = []
    ) async throws -> CommandRun {
        // On a busy machine the simulator may take long to answer.
        var flags = ["--data", self.data, "--max-connections", "100", "--apns-timeout-seconds", "60"]
        for name in ["sandbox", "production"] {
            flags += ["--apns-\(name)-host", "localhost", "--apns-\(name)-port", "\(self.simulator.port)"]
            flags += ["--apns-\(name)-channel-host", "localhost"]
            flags += ["--apns-\(name)-channel-port", "\(self.simulator.channelPort)"]
            flags += ["--apns-\(name)-ca", "\(self.directory)/ca.pem"]
        }
        var variables = environment
        variables["APUS_STORE_URL"] = storeURL ?? self.storeURL
        return try await CommandRun(
            ["doctor"] + flags + (asJSON ? ["--json"] : []) + arguments,
            environment: variables,
            through: launcher,
            in: self.directory
        )
    }
}

extension CommandRun {
    /// Expects that `apus doctor --json` has found one problem, and no other check another one.
    ///
    /// - Parameters:
    ///   - check: the check that finds it.
    ///   - severity: how bad it is.
    ///   - words: what the problem says.
    ///   - fix: what the fix says.
    ///   - others: checks that may have problems because of it.
    func expectProblem(
        _ check: String,
        _ severity: DoctorFinding.Severity = .error,
        says words: [String],
        fix: String,
        besides others: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let report: DoctorReport = try self.lastLine()
        let text = self.lines.last ?? ""
        #expect(self.status == (severity == .error ? 1 : 0), "\(text)", sourceLocation: sourceLocation)
        #expect(report.ok == (severity != .error), sourceLocation: sourceLocation)
        let problems = report.checks.filter { $0.status >= .warning && !others.contains($0.name) }
        #expect(problems.map(\.name) == [check], "\(text)", sourceLocation: sourceLocation)
        let findings = (problems.first?.findings ?? []).filter { $0.severity >= .warning }
        #expect(findings.count == 1 && findings.first?.severity == severity, "\(text)", sourceLocation: sourceLocation)
        for word in words {
            #expect(findings.first?.problem.contains(word) == true, "\(word): \(text)", sourceLocation: sourceLocation)
        }
        #expect(findings.first?.effect?.isEmpty == false, "\(text)", sourceLocation: sourceLocation)
        #expect(findings.first?.fix?.contains(fix) == true, "\(text)", sourceLocation: sourceLocation)
    }
}
