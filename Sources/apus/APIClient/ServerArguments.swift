// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

/// Which server a command talks to, and with which key.
struct ServerArguments: ParsableArguments {
    @Option(help: "The server's address. Default: $APUS_URL, or http://127.0.0.1:8080.")
    var url: String?

    @Option(help: "The API key. Default: $APUS_API_KEY, which other users of the machine do not see.")
    var apiKey: String?

    /// A client of that server.
    ///
    /// - Throws: ``CommandFailure`` `.no_key` when no key was given.
    func client(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> APIClient {
        let url = self.url ?? environment["APUS_URL"] ?? "http://127.0.0.1:8080"
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw CommandFailure("bad_url", "The server's address has to begin with http:// or https://; got '\(url)'.")
        }
        guard let key = self.apiKey ?? environment["APUS_API_KEY"], !key.isEmpty else {
            throw CommandFailure(
                "no_key",
                "No API key. Set APUS_API_KEY, or make a key on the server's machine: "
                    + "apus keys create NAME --scope admin --data DIR"
            )
        }
        return APIClient(url: url, key: key)
    }
}
