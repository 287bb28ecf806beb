// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Devices that exist by computation: as many as wanted, each with one app and one token.
///
/// Nothing is kept of a device before something arrives there. The same configuration has the same tokens in every
/// run.
public struct PopulationConfiguration: Sendable, Hashable, Codable {
    /// The most devices that a population has.
    public static let maximumCount = 100_000_000

    /// How many tokens there are, good and bad ones.
    public var count: Int
    /// The share of tokens that never stood for a device; they are answered `BadDeviceToken`.
    ///
    /// Range: 0...1. Default: 0.
    public var invalidRate: Double
    /// The share of tokens whose app was removed; they are answered `Unregistered`, inactive since that very moment.
    ///
    /// Range: 0...1. Default: 0.
    public var unregisteredRate: Double
    /// The topic of all tokens.
    ///
    /// Default: `com.example.app`.
    public var app: String
    /// The service that the tokens belong to.
    ///
    /// Default: sandbox.
    public var environment: APNsEnvironment
    /// What the tokens are computed from.
    ///
    /// Default: 1.
    public var seed: UInt64
    /// Whether the devices are connected to APNs, as long as none is told otherwise.
    ///
    /// Default: `true`.
    public var isOnline: Bool

    /// A population.
    ///
    /// - Throws: ``ValidationFailure`` for a count, rates or a topic out of range.
    public init(
        count: Int,
        invalidRate: Double = 0,
        unregisteredRate: Double = 0,
        app: String = "com.example.app",
        environment: APNsEnvironment = .sandbox,
        seed: UInt64 = 1,
        isOnline: Bool = true
    ) throws(ValidationFailure) {
        guard (1...Self.maximumCount).contains(count) else {
            throw ValidationFailure(
                field: "population",
                rule: "an integer of 1...\(Self.maximumCount)",
                value: "\(count)"
            )
        }
        for (field, rate) in [("invalidRate", invalidRate), ("unregisteredRate", unregisteredRate)]
        where !(0...1).contains(rate) {
            throw ValidationFailure(field: field, rule: "a number of 0...1", value: "\(rate)")
        }
        guard invalidRate + unregisteredRate <= 1 else {
            throw ValidationFailure(
                field: "unregisteredRate",
                rule: "at most 1 together with invalidRate",
                value: "\(invalidRate + unregisteredRate)"
            )
        }
        self.count = count
        self.invalidRate = invalidRate
        self.unregisteredRate = unregisteredRate
        self.app = try Topic(app).rawValue
        self.environment = environment
        self.seed = seed
        self.isOnline = isOnline
    }

    /// Reads a population.
    ///
    /// - Throws: ``ValidationFailure`` for a count, rates or a topic out of range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            count: try container.decode(Int.self, forKey: .count),
            invalidRate: try container.decode(Double.self, forKey: .invalidRate),
            unregisteredRate: try container.decode(Double.self, forKey: .unregisteredRate),
            app: try container.decode(String.self, forKey: .app),
            environment: try container.decode(APNsEnvironment.self, forKey: .environment),
            seed: try container.decode(UInt64.self, forKey: .seed),
            isOnline: try container.decode(Bool.self, forKey: .isOnline)
        )
    }
}
