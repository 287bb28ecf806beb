// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The address by which this machine reaches one of its own listeners.
enum ListeningURL {
    /// - Parameters:
    ///   - host: what it listens on; every address of the machine is reached over the loopback one.
    ///   - port: the bound port.
    /// - Returns: a URL without a path, as `http://127.0.0.1:8080`.
    static func text(host: String, port: Int) -> String {
        let isAny = ["0.0.0.0", "::"].contains(host)
        let name = isAny ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
        return "http://\(name):\(port)"
    }
}
