// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Testing

@testable import apus

@Suite("apus doctor and the transport", .timeLimit(.minutes(20)))
struct DoctorTransportTests {
    @Test("finds plain HTTP that other machines reach, and takes it behind a proxy")
    func plain() async throws {
        try await DoctorPlace.with { place in
            let open = try await place.examine(["--offline", "--host", "0.0.0.0"])
            try open.expectProblem("transport", says: ["0.0.0.0"], fix: "--insecure-http")
            let behindProxy = try await place.examine(["--offline", "--host", "0.0.0.0", "--insecure-http"])
            #expect(behindProxy.status == 0, "\(behindProxy.lines)")
        }
    }

    @Test("finds a certificate that expires, a key that other users can read, and files that cannot be used")
    func files() async throws {
        try await DoctorPlace.with { place in
            let certificates = try TestCertificates(in: place.directory, named: "tls-authority")
            let day = 86_400.0
            func flags(from start: Date = Date()) throws -> [String] {
                let (certificate, key) = try certificates.write(try certificates.issueServer(from: start))
                return ["--offline", "--tls-certificate", certificate, "--tls-key", key]
            }
            let valid = try flags()
            #expect(try await place.examine(valid).status == 0)
            let soon = try await place.examine(try flags(from: Date(timeIntervalSinceNow: -360 * day)))
            try soon.expectProblem("transport", .warning, says: ["expires on"], fix: "Renew")
            let expired = try await place.examine(try flags(from: Date(timeIntervalSinceNow: -400 * day)))
            try expired.expectProblem("transport", says: ["expired on"], fix: "Renew")
            let good = try flags()
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: good[4])
            let exposed = try await place.examine(good)
            try exposed.expectProblem("transport", .warning, says: [good[4], "0644"], fix: "chmod 600")
            let missing = try await place.examine(["--offline", "--tls-certificate", good[2], "--tls-key", "/none"])
            try missing.expectProblem(
                "transport",
                says: ["tls.key (flag --tls-key)", "/none"],
                fix: "Put the file back"
            )
        }
    }

    @Test("warns of a database on another host whose certificate is not verified")
    func database() async throws {
        try await DoctorPlace.with { place in
            // TEST-NET-1 of RFC 5737: no machine has this address.
            let run = try await place.examine(["--offline"], storeURL: "postgres://192.0.2.1/a?connect_timeout=2")
            let report: DoctorReport = try run.lastLine()
            let findings = try #require(report.checks.first { $0.name == "transport" }).findings
            #expect(findings.map(\.severity) == [.warning])
            #expect(findings.first?.problem.contains("192.0.2.1") == true)
            #expect(findings.first?.fix?.contains("sslmode=verify-full") == true)
        }
    }
}
