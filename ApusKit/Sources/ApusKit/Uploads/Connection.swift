// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(Network)
@preconcurrency import Network
#endif

/// Observes the network connection of the device.
enum Connection {
    /// Yields each time the network becomes available.
    ///
    /// On Linux it never yields, because `Network` is missing. Uploads are then retried after their backoff.
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
