// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
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

    /// Reads a job from its file.
    init(path: String) throws {
        self = try JSON.decoder.decode(PeerJob.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// A job at a simulator.
    ///
    /// - Parameters:
    ///   - simulator: where it is.
    ///   - directory: the one that it was given for its key and its certificate authority.
    ///   - topic: what the notifications are for.
    ///   - notificationsPath: the file with the notifications.
    ///   - concurrency: how many may wait for their answers at a time; `nil` for a sender that decides itself.
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
