// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle

/// Serves clients of apns-proxy-server over ZeroMQ; see docs/apns-proxy.md.
///
/// A thread receives messages and gathers them. One task checks, groups and stores them, chunk by chunk, as
/// ``StreamSession`` does with lines; while the store is slow, the thread reads no further messages. A request is
/// answered after the commit. Another task answers requests for unregistered tokens.
package struct ProxyEndpoint: Service {
    package typealias Store = AppStore & DeviceStore & NotificationStore

    /// The first and the longest wait between attempts to store a chunk.
    private static let retryDelays = (first: Duration.milliseconds(50), last: Duration.seconds(1))

    private let store: any Store
    private let listener: ProxyListener
    private let directory: ProxyDirectory
    private let feedback: ProxyFeedback
    private let metrics: AcceptanceMetrics
    private let results: ProxyMetrics
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date

    /// Listens on both ports at once, so that clients can connect; ``run()`` serves them.
    ///
    /// - Throws: ``PushAPIError`` `.addressInUse`, `.addressUnavailable`.
    package init(
        store: any Store,
        configuration: ProxyConfiguration,
        keyLifetime: Duration = .seconds(1),
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.store = store
        self.listener = try ProxyListener(configuration)
        self.directory = ProxyDirectory(
            applications: configuration.applications,
            apps: AppLookup(lifetime: keyLifetime, now: now) { try await store.app($0) }
        )
        self.feedback = ProxyFeedback(store: store, limit: configuration.maximumFeedbackTokens)
        self.metrics = AcceptanceMetrics(metrics)
        self.results = ProxyMetrics(metrics)
        self.logger = logger
        self.clock = clock
        self.now = now
    }

    /// The port for requests.
    package var port: Int { self.listener.port }

    /// The port for messages without a response.
    package var pullPort: Int { self.listener.pullPort }

    /// Serves clients until the surrounding `ServiceGroup` stops it, then stores what was received.
    ///
    /// - Throws: ``ZeroMQError`` if the sockets fail.
    package func run() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        let thread = Thread { [listener] in
            end.yield(Result { try listener.run() })
            end.finish()
        }
        thread.name = "apus-proxy"
        thread.start()
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await withDiscardingTaskGroup { group in
                    group.addTask { await self.answerFeedbackRequests() }
                    for await _ in self.listener.chunks {
                        while let chunk = self.listener.takeChunk() { await self.store(chunk) }
                    }
                    group.cancelAll()
                }
                self.listener.close()
            } onCancel: {
                self.listener.stop()
            }
        } onGracefulShutdown: {
            self.listener.stop()
        }
        for await result in ends { try result.get() }
    }

    // MARK: Sending

    /// Stores the messages of a chunk, and answers those that are requests.
    private func store(_ chunk: ProxyChunk) async {
        var result = ProxyChunkResult(chunk)
        do {
            try await self.retrying {
                result = ProxyChunkResult(chunk)
                try await result.sort(by: self.directory, now: self.now())
            }
        } catch {
            result = ProxyChunkResult(chunk)
            result.failAll(error)
        }
        for group in result.groups {
            do {
                result.succeed(group, try await self.accept(group))
            } catch {
                result.fail(group, error)
            }
        }
        self.results.count(result)
        self.log(result)
        self.listener.send(result.replies)
    }

    private func accept(_ group: ProxyChunkResult.Group) async throws -> BatchedNotification {
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let parts = group.batches.parts(lane: .urgent, now: now)
        let plan = BatchedNotification(app: group.app.id, parts: parts, now: now)
        var attempts = 0
        try await self.retrying {
            attempts += 1
            do {
                try await self.metrics.accept(plan, in: self.store)
            } catch let error as StoreError where error.code == .conflict && attempts > 1 {
                // The attempt before was committed after all.
            }
        }
        return plan
    }

    /// Repeats a call that a later repetition may help, until the process stops.
    ///
    /// The messages have no other copy, and a client that waits is better than one that believes in a lost message.
    private func retrying<Value>(_ body: () async throws -> Value) async throws -> Value {
        var delay = Self.retryDelays.first
        while true {
            do {
                return try await body()
            } catch let error as StoreError where error.isTransient || error.code == .readOnly {
                guard !self.listener.isStopping else { throw error }
                self.logger.error("Failed to store messages of the proxy protocol; retrying", error: error)
                try await self.clock.sleep(for: delay)
                delay = min(delay * 2, Self.retryDelays.last)
            }
        }
    }

    private func log(_ result: ProxyChunkResult) {
        for (kind, fault) in result.faults {
            self.logger.log(
                level: kind == .failed ? .error : .warning,
                "Messages of the proxy protocol were not sent (\(kind.rawValue))",
                metadata: ["count": "\(fault.count)", "first": "\(fault.first.message)"]
            )
        }
    }

    // MARK: Feedback

    private func answerFeedbackRequests() async {
        for await request in self.listener.feedback {
            let body: [UInt8]
            do {
                let application = try ProxyFeedback.application(in: request.body)
                guard let app = try await self.directory.app(of: application) else { throw ProxyFault.unknownApp }
                body = try await self.feedback.response(of: app)
            } catch {
                let fault = ProxyFault(error)
                self.logger.warning(
                    "Failed to answer a feedback request of the proxy protocol (\(fault.kind.rawValue))",
                    metadata: ["reason": "\(fault.message)"]
                )
                body = fault.response
            }
            self.listener.send([ProxyListener.Reply(peer: request.peer, body: body)])
        }
    }
}

/// Finds the app of an `appid`.
struct ProxyDirectory: Sendable {
    /// The known values; `nil` means that each is the ID of an app.
    let applications: [String: ProxyConfiguration.Application]?
    let apps: AppLookup

    /// Returns the app, with the environment of its tokens as the default one; `nil` for an unknown `appid`.
    func app(of application: String) async throws -> App? {
        var found = AppID(rawValue: application).map { ProxyConfiguration.Application(app: $0) }
        if let applications { found = applications[application] }
        guard let found, var app = try await self.apps.record(found.app) else { return nil }
        app.defaultEnvironment = found.environment ?? app.defaultEnvironment
        return app
    }
}
