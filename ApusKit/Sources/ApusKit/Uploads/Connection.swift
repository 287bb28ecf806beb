// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(Network)
@preconcurrency import Network
#endif

/// Whether the phone has a connection.
enum Connection {
    /// Tells each time that there is a connection again.
    ///
    /// On Linux, where nobody tells, it never does; what waits is tried after its pause.
    static func returns() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            #if canImport(Network)
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { if $0.status == .satisfied { continuation.yield() } }
            continuation.onTermination = { _ in monitor.cancel() }
            monitor.start(queue: DispatchQueue(label: "apus.connection"))
            #endif
        }
    }
}
