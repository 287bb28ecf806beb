// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// What is to be sent, where to and as whom.
struct Job: Decodable {
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
    /// How many notifications may wait for their answers at a time.
    let concurrency: Int

    init(path: String) throws {
        self = try JSONDecoder().decode(Job.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func readNotifications() throws -> [Notification] {
        let decoder = JSONDecoder()
        let lines = try Data(contentsOf: URL(fileURLWithPath: self.notificationsPath)).split(
            separator: UInt8(ascii: "\n")
        )
        return try lines.map { try decoder.decode(Notification.self, from: $0) }
    }
}

/// The values of one notification; its payload is made of them when it is sent.
struct Notification: Decodable {
    let token: String
    let title: String
    let body: String
    let order: Int
}

/// What became of a job.
struct Report: Encodable {
    let sent: Int
    let accepted: Int
    /// What the first notification that was not answered with 200 got instead.
    let refusal: String?
    let seconds: Double
    let cpuSeconds: Double
    let peakMiB: Double
}
