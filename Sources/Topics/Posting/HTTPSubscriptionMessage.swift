// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import SNSProtocol

/// The message to an HTTP subscription, as the store keeps it until its delivery.
package enum HTTPSubscriptionMessage: Hashable, Sendable {
    case notification(SNSMessage)
    case confirmation

    /// Reads the result of ``content``; `nil` for anything else.
    package init?(content: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(content)) else { return nil }
        guard let text = record.text else {
            self = .confirmation
            return
        }
        var structure: MessageStructure?
        if record.isStructured {
            guard let read = try? MessageStructure(json: text) else { return nil }
            structure = read
        }
        self = .notification(
            SNSMessage(
                text: text,
                subject: record.subject,
                attributes: record.attributes.mapValues(\.attribute),
                structure: structure
            )
        )
    }

    package var content: [UInt8] {
        get throws {
            switch self {
            case .confirmation: return try Record().encoded
            case .notification(let message):
                return try Record(
                    text: message.text,
                    subject: message.subject,
                    isStructured: message.structure != nil,
                    attributes: message.attributes.mapValues(Record.Attribute.init)
                ).encoded
            }
        }
    }

    private struct Record: Codable {
        struct Attribute: Codable {
            var type: String
            var text: String?
            var bytes: Data?

            init(_ attribute: MessageAttribute) {
                self.type = attribute.dataType
                switch attribute.value {
                case .text(let text): self.text = text
                case .binary(let bytes): self.bytes = Data(bytes)
                }
            }

            var attribute: MessageAttribute {
                MessageAttribute(
                    dataType: self.type,
                    value: self.bytes.map { .binary(Array($0)) } ?? .text(self.text ?? "")
                )
            }
        }

        var text: String?
        var subject: String?
        var isStructured = false
        var attributes: [String: Attribute] = [:]

        var encoded: [UInt8] {
            get throws { Array(try JSONEncoder().encode(self)) }
        }
    }
}
