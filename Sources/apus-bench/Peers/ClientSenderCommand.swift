// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import ArgumentParser
import CommandLineSupport
import Foundation
import Logging
import NIOPosix

/// Apus's client as one of the senders of `apus-bench peers`, in a separate process like the others.
///
/// A job with `concurrency` is sent with one call per notification, as the others do; a job without it, with calls for
/// many.
struct ClientSenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "client-peer", shouldDisplay: false)

    /// How many notifications the client is given at a time.
    private static let batchSize = 1000

    @Argument(help: "The file with the job.")
    var job: String

    func run() async throws {
        let job = try SenderWorkload(path: self.job)
        let notifications = try [WorkloadNotification](path: job.notificationsPath)
        let key = try ProviderKey(keyID: job.keyID, teamID: job.teamID, pem: InputFile.text(job.keyPath))
        let authority = Array(try InputFile.text(job.caPath).utf8)
        let sender = Sender(
            client: APNsClient(
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "apus.bench", factory: { StreamLogHandler.standardError(label: $0) })
            ),
            destination: APNsDestination(
                endpoint: APNsEndpoint(
                    host: job.host,
                    port: job.port,
                    trust: .certificateAuthority(pem: authority)
                ),
                credential: .key(key)
            ),
            headers: NotificationHeaders(topic: try Topic(job.topic), pushType: .alert, priority: .immediate)
        )
        let usage = ProcessUsage.current()
        let start = ContinuousClock.now
        let refusals =
            if let concurrency = job.concurrency {
                try await sender.sendSingly(notifications, concurrency: concurrency)
            } else {
                try await sender.send(notifications, inBatchesOf: Self.batchSize)
            }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let end = ProcessUsage.current()
        try Console.json(
            WorkloadReport(
                sent: notifications.count,
                accepted: notifications.count - refusals.count,
                refusal: refusals.first,
                seconds: seconds,
                cpuSeconds: end.cpuSeconds - usage.cpuSeconds,
                peakMiB: ProcessTable.peakMebibytes(of: ProcessInfo.processInfo.processIdentifier)
            )
        )
    }

    /// The client with the shared properties of all notifications.
    private struct Sender {
        let client: APNsClient
        let destination: APNsDestination
        let headers: NotificationHeaders

        /// Passes all batches to the client at once.
        ///
        /// Returns the failures of those without a 200 response.
        func send(_ notifications: [WorkloadNotification], inBatchesOf size: Int) async throws -> [String] {
            try await withThrowingTaskGroup(of: [String].self) { group in
                for start in stride(from: 0, to: notifications.count, by: size) {
                    let part = notifications[start..<min(start + size, notifications.count)]
                    group.addTask {
                        let batch = try self.batch(part, numbered: start)
                        return await self.client.send(batch, to: self.destination).compactMap(\.refusal)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }

        private func batch(_ part: ArraySlice<WorkloadNotification>, numbered start: Int) throws -> SendBatch {
            SendBatch(
                headers: self.headers,
                payload: .distinct(PayloadList(try part.map { try $0.payload })),
                tokens: TokenList(try part.map { try DeviceToken(hex: $0.token) }),
                firstID: APNsID(high: UInt64.random(in: .min ... .max), low: UInt64(start))
            )
        }

        /// Passes the notifications to the client one by one, at most `concurrency` of them at a time.
        ///
        /// Returns the failures of those without a 200 response.
        func sendSingly(_ notifications: [WorkloadNotification], concurrency: Int) async throws -> [String] {
            let numbers = AtomicCounter()
            return try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<concurrency {
                    group.addTask {
                        var refusals: [String] = []
                        while true {
                            let index = numbers.next()
                            guard index < notifications.count else { return refusals }
                            if let refusal = try await self.send(notifications[index]) { refusals.append(refusal) }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }

        private func send(_ notification: WorkloadNotification) async throws -> String? {
            await self.client.send(
                self.headers,
                payload: try notification.payload,
                token: try DeviceToken(hex: notification.token),
                apnsID: APNsID(high: UInt64.random(in: .min ... .max), low: UInt64(notification.order)),
                to: self.destination
            ).refusal
        }
    }
}

extension SendOutcome {
    /// The failure; `nil` for a 200 response.
    fileprivate var refusal: String? {
        switch self {
        case .accepted: nil
        case .rejected(let rejection): "\(rejection.status) \(rejection.reason.rawValue)"
        case .failed(let failure): "\(failure.code.rawValue): \(failure.message)"
        }
    }
}
