// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import NIOCore

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
    /// The notifications of a file.
    init(path: String) throws {
        let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n"))
        self = try lines.map { try JSON.decoder.decode(PeerNotification.self, from: $0) }
    }

    /// Writes a file of them, one a line.
    func write(to path: String) throws {
        let lines = try self.map { try JSON.encoder.encode($0) }
        try Data(lines.joined(separator: Data("\n".utf8))).write(to: URL(fileURLWithPath: path))
    }

    /// The notifications as the lines of a stream, many of them in each piece.
    func streamPieces() throws -> [ByteBuffer] {
        try stride(from: 0, to: self.count, by: 500).map { start in
            let lines = try self[start..<Swift.min(start + 500, self.count)].map {
                #"{"token":"\#($0.token)","payload":\#(try $0.payload.text)}"#
            }
            return ByteBuffer(string: lines.joined(separator: "\n") + "\n")
        }
    }
}
