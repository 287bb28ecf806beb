// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Logging
import PushAPI
import PushStore
import ServiceLifecycle
import Telemetry
import Webhooks

/// A process with one role on the store of the servers; any number of them share the work.
struct Worker {
    /// The role of a worker.
    enum Role: String, Sendable {
        /// Claims batches and sends them to APNs.
        case deliver

        /// Turns campaigns that are due into batches; never talks to APNs.
        case schedule
    }

    let role: Role
    let configuration: ServerConfiguration
    let logger: Logger

    /// Runs until a signal arrives, or standard input ends if that is observed.
    ///
    /// It calls `onReady` when the store is open and the probes, if they have a port, are served.
    ///
    /// - Throws: ``CommandError`` with a fix.
    func run(exitOnStdinClose: Bool, onReady: @escaping @Sendable (WorkerReady) -> Void) async throws {
        BuildInfo.logStart(of: self.role.rawValue, to: self.logger)
        FileDescriptorLimit.raiseLimit()
        self.configuration.protectMemory(self.logger)
        let metrics = ServerMetrics.registry()
        // Without a port for the probes, it does not listen.
        let tls = try self.configuration.probesPort.flatMap { _ in
            try self.configuration.listenerTLS(metrics: metrics, logger: self.logger)
        }
        let sending = try self.configuration.deliveryConfiguration()
        let time = try await ProcessClock(self.configuration, logger: self.logger)
        let (data, url) = (self.configuration.data, self.configuration.storeURL)
        self.configuration.warnOfUnverifiedStore(self.logger)
        try await ServerStore.open(
            data: data,
            url: url,
            connections: self.configuration.storeConnections,
            logger: self.logger,
            metrics: metrics
        ) { store, services in
            let parts = ServiceFactory(
                configuration: self.configuration,
                store: store,
                metrics: metrics,
                logger: self.logger,
                now: time.now
            )
            let workers: [any Service]
            switch self.role {
            case .deliver:
                let key = try await MasterKeyFile.masterKey(self.configuration, store: store, logger: self.logger)
                self.logger.info("Loaded the master key", metadata: MasterKeyFile.metadata(of: key))
                try await DataKeyLoader.load(into: store, self.configuration, masterKey: key, logger: self.logger)
                let delivery = parts.delivery(sending, masterKey: key)
                workers = [delivery.client, delivery.service, parts.topicPosting(masterKey: key)]
            case .schedule:
                // Only calls of webhooks and sealed stores need it: without one these calls fail, and say so.
                let key = try MasterKeyFile.existingKey(self.configuration, logger: self.logger)
                if let key { self.logger.info("Loaded the master key", metadata: MasterKeyFile.metadata(of: key)) }
                try await DataKeyLoader.load(into: store, self.configuration, masterKey: key, logger: self.logger)
                let sender = WebhookSender(
                    masterKey: key,
                    configuration: self.configuration.webhookConfiguration()
                )
                workers = [
                    parts.planner, parts.rolloutPlanner, parts.activityScheduler, parts.jobScheduler(sender),
                ]
            }
            var all = time.services + services + parts.withWatches(workers)
            if let port = self.configuration.probesPort {
                all.append(
                    ProbeServer(
                        store: store,
                        configuration: parts.listening(on: port),
                        tls: tls,
                        metrics: metrics,
                        metricsText: { metrics.text() },
                        logger: self.logger,
                        now: time.now,
                        onListening: { onReady(self.ready(port: $0)) }
                    )
                )
            } else {
                onReady(self.ready(port: nil))
            }
            do {
                try await ProcessServices.run(all, exitOnStdinClose: exitOnStdinClose, logger: self.logger)
            } catch let error as PushAPIError {
                throw CommandError(error.code.rawValue, error.message, cause: error)
            }
        }
    }

    private func ready(port: Int?) -> WorkerReady {
        WorkerReady(
            role: self.role.rawValue,
            pid: ProcessInfo.processInfo.processIdentifier,
            probes: port.map { self.configuration.listeningURL(port: $0) }
        )
    }
}
