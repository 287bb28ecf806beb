// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

extension ConnectionParameters {
    /// The first host on another machine, if its certificate is not verified.
    func unverifiedHost(environment: [String: String]) -> String? {
        func value(_ keyword: String, _ variable: String) -> String? {
            let found = self.values[keyword] ?? environment[variable]
            return found?.isEmpty == true ? nil : found
        }
        // `sslrootcert=system` implies `verify-full`.
        let isVerified =
            value("sslmode", "PGSSLMODE") == "verify-full" || value("sslrootcert", "PGSSLROOTCERT") == "system"
        guard !isVerified, let hosts = value("hostaddr", "PGHOSTADDR") ?? value("host", "PGHOST") else { return nil }
        // A socket of this machine is a path, or an abstract name with `@`.
        return hosts.split(separator: ",").map(String.init).first { host in
            !host.hasPrefix("/") && !host.hasPrefix("@") && !NetworkAddress.isLoopback(host: host)
        }
    }
}
