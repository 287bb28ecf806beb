// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The devices that exist by computation, and the rows of those that something happened to.
struct Population: Sendable {
    /// How it was set up; whether devices are online may change.
    var configuration: PopulationConfiguration
    /// The topic of all tokens.
    let topic: TopicIndex
    let tokens: PopulationTokens
    /// The rows of devices by their numbers, in pieces that exist once one of their devices has a row.
    private var rows: [[Int32]]

    private static let pieceBits = 12

    init(_ configuration: PopulationConfiguration, topic: TopicIndex) {
        self.configuration = configuration
        self.topic = topic
        self.tokens = PopulationTokens(configuration)
        self.rows = Array(repeating: [], count: configuration.count >> Self.pieceBits + 1)
    }

    /// The row of a device, if it has one.
    func row(of number: Int) -> DeviceIndex? {
        let piece = number >> Self.pieceBits
        guard !self.rows[piece].isEmpty else { return nil }
        let row = self.rows[piece][number & (1 << Self.pieceBits - 1)]
        return row < 0 ? nil : DeviceIndex(rawValue: row)
    }

    /// Takes note of the row of a device.
    mutating func setRow(_ row: DeviceIndex, of number: Int) {
        let piece = number >> Self.pieceBits
        if self.rows[piece].isEmpty { self.rows[piece] = Array(repeating: -1, count: 1 << Self.pieceBits) }
        self.rows[piece][number & (1 << Self.pieceBits - 1)] = row.rawValue
    }
}

extension Population: Codable {
    private enum CodingKeys: String, CodingKey {
        case configuration, topic
    }

    /// Reads a population; rows are noted anew from the table of devices.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(PopulationConfiguration.self, forKey: .configuration),
            topic: try container.decode(TopicIndex.self, forKey: .topic)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.configuration, forKey: .configuration)
        try container.encode(self.topic, forKey: .topic)
    }
}
