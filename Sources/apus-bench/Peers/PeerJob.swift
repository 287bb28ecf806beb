// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation

/// What a sender in a process of its own is told: what to send, where to and as whom.
///
/// The senders of `dev/peers` read the same file, so its names are theirs too.
struct PeerJob: Codable {
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
    /// How many notifications may wait for their answers at a time; `nil` for a sender that decides itself.
    let concurrency: Int?

    init(path: String) throws {
        self = try JSON.decoder.decode(PeerJob.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
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

/// The values of one notification; every sender makes its payload of them itself.
struct PeerNotification: Codable {
    let token: String
    let title: String
    let body: String
    let order: Int

    /// Notifications to these tokens, each with a text of its own.
    static func list(to tokens: some Collection<String>) -> [PeerNotification] {
        tokens.enumerated().map { order, token in
            let wait = "\(order % 50 + 1) minutes"
            return PeerNotification(
                token: token,
                title: "Your order \(order)",
                body: "It has left our house and will be with you in \(wait). See where it is on the map.",
                order: order
            )
        }
    }

    /// The payload, made with Apus's own types.
    var payload: APNsPayload {
        get throws {
            try APNsPayload(
                aps: APS(alert: .titled(.plain(self.title), body: .plain(self.body))),
                custom: ["order": .integer(Int64(self.order))]
            )
        }
    }
}

extension [PeerNotification] {
    init(path: String) throws {
        let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n"))
        self = try lines.map { try JSON.decoder.decode(PeerNotification.self, from: $0) }
    }

    /// Writes a file of them, one a line.
    func write(to path: String) throws {
        let lines = try self.map { try JSON.encoder.encode($0) }
        try Data(lines.joined(separator: Data("\n".utf8))).write(to: URL(fileURLWithPath: path))
    }
}

/// What a sender says when every notification of its job has an answer.
struct PeerReport: Codable {
    let sent: Int
    /// How many notifications were answered with 200.
    let accepted: Int
    /// What the first one that was not got instead.
    let refusal: String?
    /// From before the first connection was opened until the last answer was there.
    let seconds: Double
    let cpuSeconds: Double
    let peakMiB: Double

    var perSecond: Double { Double(self.sent) / self.seconds }
}
