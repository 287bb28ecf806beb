// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The certificate and the key that new connections are served with, which follow their files.
///
/// All files are read before anything is replaced, so a connection never gets the certificate of one version and the key
/// of another. Open connections keep theirs. Files that cannot be used change nothing: they are logged and counted, once
/// for each content.
package final class TLSCertificates: Service, Sendable {
    /// How often the files are read.
    package static let interval: Duration = .seconds(5)

    private struct State {
        var identity: TLSIdentity
        /// The contents that are in use.
        var contents: TLSFileContents
        /// The last problem, so that it is reported only once.
        var problem: String?
        /// The contents of the last problem; `nil` if the files cannot be read.
        var rejected: TLSFileContents?
    }

    private let files: TLSFiles
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let loaded: Counter
    private let failed: Counter
    private let expiry: Gauge
    private let state: Mutex<State>

    /// Reads the files.
    ///
    /// - Throws: ``TLSFileError`` if they cannot be used.
    package init(
        _ files: TLSFiles,
        clock: any Clock<Duration> = ContinuousClock(),
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) throws(TLSFileError) {
        self.files = files
        self.clock = clock
        self.logger = logger
        func counter(_ result: String) -> Counter {
            Counter(label: "apus_tls_reloads_total", dimensions: [("result", result)], factory: metrics)
        }
        self.loaded = counter("loaded")
        self.failed = counter("failed")
        self.expiry = Gauge(label: "apus_tls_certificate_expiry_timestamp_seconds", factory: metrics)
        let contents = try TLSFileContents(reading: files)
        self.state = Mutex(State(identity: try contents.identity(), contents: contents))
        self.report("Loaded the TLS certificate")
    }

    /// What a new connection is served with.
    var context: NIOSSLContext { self.state.withLock { $0.identity.context } }

    /// When the certificate in use expires; `nil` if its times cannot be read.
    package var expiresAt: Date? { self.state.withLock { $0.identity.expiresAt } }

    /// Reads the files until the surrounding `ServiceGroup` stops it.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await self.clock.sleep(for: Self.interval)) != nil { self.reload() }
        }
    }

    /// Reads the files, and uses them for new connections if they have changed and are valid.
    package func reload() {
        let contents: TLSFileContents
        do {
            contents = try TLSFileContents(reading: self.files)
        } catch {
            return self.keep(error, nil)
        }
        let isKnown = self.state.withLock { state in
            if state.contents == contents { (state.problem, state.rejected) = (nil, nil) }
            return state.contents == contents || state.rejected == contents
        }
        guard !isKnown else { return }
        do {
            let identity = try contents.identity()
            self.state.withLock { $0 = State(identity: identity, contents: contents) }
            self.loaded.increment()
            self.report("TLS certificate changed")
        } catch {
            self.keep(error, contents)
        }
    }

    private func keep(_ error: TLSFileError, _ contents: TLSFileContents?) {
        let isNew = self.state.withLock { state in
            defer { (state.problem, state.rejected) = (error.message, contents) }
            return state.problem != error.message || state.rejected != contents
        }
        guard isNew else { return }
        self.failed.increment()
        self.logger.error(
            "Failed to read the changed TLS files; keeping the former certificate",
            metadata: ["error": "\(error)"]
        )
    }

    private func report(_ event: Logger.Message) {
        let end = self.expiresAt
        if let end { self.expiry.record(end.timeIntervalSince1970) }
        self.logger.notice(event, metadata: ["expiresAt": "\(end?.ISO8601Format() ?? "unknown")"])
        if let end, end < Date() {
            self.logger.warning("The TLS certificate has expired; clients refuse it")
        }
    }
}
