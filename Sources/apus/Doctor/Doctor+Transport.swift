// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import PushAPI

extension Doctor {
    /// A certificate of the server that expires sooner is reported: by then, automatic renewals have failed for weeks.
    private static let renewalDays = 10.0

    /// Checks how the listeners and the connection to the database are protected.
    func checkTransport() -> [DoctorFinding] {
        let findings = self.checkListeners() + self.checkDatabaseTransport()
        guard findings.isEmpty else { return findings }
        guard self.configuration.tls == nil else { return [.ok("the API is served over TLS")] }
        let isLocal = self.configuration.listensOnLoopback
        return [.ok(isLocal ? "only this machine reaches the API" : "insecureHTTP allows plain HTTP behind a proxy")]
    }

    private func checkListeners() -> [DoctorFinding] {
        let noStart = "apus serve does not start, nor do workers with probes."
        if let exposure = self.configuration.exposure {
            return [.error(exposure, effect: noStart, fix: "Do what the message says.")]
        }
        guard let tls = self.configuration.tls else { return [] }
        var findings: [DoctorFinding] = []
        do {
            if let end = try tls.check() { findings += self.checkExpiry(end) }
        } catch {
            let fix = "Put the file back, or correct the key. A running server keeps the former certificate."
            findings.append(.error(self.configuration.failure(error), effect: noStart, fix: fix))
        }
        if let mode = FilePermissions.exposedMode(of: tls.key) {
            findings.append(
                .warning(
                    "Other users can read the key of the TLS certificate in \(tls.key) (mode \(mode)).",
                    effect: "They can pretend to be this server.",
                    fix: "Run: chmod 600 \(tls.key). If they may have read it, replace the certificate."
                )
            )
        }
        return findings
    }

    private func checkExpiry(_ end: Date) -> [DoctorFinding] {
        let days = end.timeIntervalSince(self.now) / 86_400
        let fix = "Renew it and replace the files; the server reads them within 5 seconds."
        if days < 0 {
            let problem = "The TLS certificate expired on \(end.ISO8601Format())."
            return [.error(problem, effect: "Clients refuse to connect.", fix: fix)]
        }
        guard days < Self.renewalDays else { return [] }
        let problem = "The TLS certificate expires on \(end.ISO8601Format())."
        return [.warning(problem, effect: "After that, clients refuse to connect.", fix: fix)]
    }

    private func checkDatabaseTransport() -> [DoctorFinding] {
        guard let host = ServerStore.unverifiedHost(url: self.configuration.storeURL, environment: self.environment)
        else { return [] }
        return [
            .warning(
                "The certificate of the PostgreSQL server \(host) is not verified.",
                effect: "An attacker on the network can read and change everything in the database.",
                fix: "Add sslmode=verify-full to store.url (APUS_STORE_URL), and sslrootcert=FILE for an own authority."
            )
        ]
    }
}
