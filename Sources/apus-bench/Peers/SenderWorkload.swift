// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation

/// The input of a sender process: notifications, server and credential.
///
/// The senders of `dev/peers` read the same file, so the names are part of their interface.
struct SenderWorkload: Codable {
    let host: String
    let port: Int
    /// The file with the certificate authority that the server is trusted by.
    let caPath: String
    /// The file with the provider key.
    let keyPath: String
    let keyID: String
    let teamID: String
    let topic: String
    /// The file with the notifications, one a line.
    let notificationsPath: String
    /// The maximum number of notifications in flight; `nil` for a sender that decides.
    let concurrency: Int?

    init(path: String) throws {
        self = try JSON.decoder.decode(SenderWorkload.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// A job at a simulator that wrote its key and its CA certificate to `directory`.
    init(
        at simulator: SimulatorEndpoints,
        in directory: String,
        topic: String,
        notificationsPath: String,
        concurrency: Int?
    ) {
        self.host = "localhost"
        self.port = simulator.port
        self.caPath = "\(directory)/ca.pem"
        self.keyPath = "\(directory)/demo-key.p8"
        self.keyID = simulator.keyID
        self.teamID = simulator.teamID
        self.topic = topic
        self.notificationsPath = notificationsPath
        self.concurrency = concurrency
    }
}

/// The values of one notification; every sender builds its payload from them.
struct WorkloadNotification: Codable {
    let token: String
    let title: String
    let body: String
    let order: Int

    /// Notifications to these tokens with individual texts.
    static func list(to tokens: some Collection<String>) -> [WorkloadNotification] {
        tokens.enumerated().map { order, token in
            let wait = "\(order % 50 + 1) minutes"
            return WorkloadNotification(
                token: token,
                title: "Your order \(order)",
                body: "It has left our house and will be with you in \(wait). See where it is on the map.",
                order: order
            )
        }
    }

    /// The payload, built with Apus's own types.
    var payload: APNsPayload {
        get throws {
            try APNsPayload(
                aps: APS(alert: .titled(.plain(self.title), body: .plain(self.body))),
                custom: ["order": .integer(Int64(self.order))]
            )
        }
    }
}

extension [WorkloadNotification] {
    init(path: String) throws {
        let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n"))
        self = try lines.map { try JSON.decoder.decode(WorkloadNotification.self, from: $0) }
    }

    /// Writes a file of them, one a line.
    func write(to path: String) throws {
        let lines = try self.map { try JSON.encoder.encode($0) }
        try Data(lines.joined(separator: Data("\n".utf8))).write(to: URL(fileURLWithPath: path))
    }
}

/// The report of a sender after the last response of its job.
struct WorkloadReport: Codable {
    let sent: Int
    /// The number of responses with status 200.
    let accepted: Int
    /// The first failure.
    let refusal: String?
    /// From before the first connection was opened until the last response.
    let seconds: Double
    let cpuSeconds: Double
    let peakMiB: Double

    var perSecond: Double { Double(self.sent) / self.seconds }
}
