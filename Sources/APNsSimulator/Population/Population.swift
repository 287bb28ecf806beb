// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

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

    func row(of number: Int) -> DeviceIndex? {
        let piece = number >> Self.pieceBits
        guard !self.rows[piece].isEmpty else { return nil }
        let row = self.rows[piece][number & (1 << Self.pieceBits - 1)]
        return row < 0 ? nil : DeviceIndex(rawValue: row)
    }

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

    /// Decodes a population; its rows are rebuilt from the table of devices.
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

/// Computed devices: any number of them, each with one app and one token.
///
/// A device uses memory only after a notification arrived. The same configuration has the same tokens in every
/// run.
public struct PopulationConfiguration: Sendable, Hashable, Codable {
    /// The most devices that a population has.
    public static let maximumCount = 100_000_000

    /// The number of tokens, valid and invalid ones.
    public var count: Int
    /// The share of tokens that never existed; the response for them is `BadDeviceToken`.
    ///
    /// Range: 0...1. Default: 0.
    public var invalidRate: Double
    /// The share of tokens whose app was removed; the response is `Unregistered` with the current time as timestamp.
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
    /// The seed of the tokens.
    ///
    /// Default: 1.
    public var seed: UInt64
    /// Whether the devices are connected to APNs, unless a device has an explicit setting.
    ///
    /// Default: `true`.
    public var isOnline: Bool

    /// A population.
    ///
    /// - Throws: ``InvalidValueError`` for a count, rates or a topic out of range.
    public init(
        count: Int,
        invalidRate: Double = 0,
        unregisteredRate: Double = 0,
        app: String = "com.example.app",
        environment: APNsEnvironment = .sandbox,
        seed: UInt64 = 1,
        isOnline: Bool = true
    ) throws(InvalidValueError) {
        guard (1...Self.maximumCount).contains(count) else {
            throw InvalidValueError(
                field: "population",
                rule: "an integer of 1...\(Self.maximumCount)",
                value: "\(count)"
            )
        }
        for (field, rate) in [("invalidRate", invalidRate), ("unregisteredRate", unregisteredRate)]
        where !(0...1).contains(rate) {
            throw InvalidValueError(field: field, rule: "a number of 0...1", value: "\(rate)")
        }
        guard invalidRate + unregisteredRate <= 1 else {
            throw InvalidValueError(
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
    /// - Throws: ``InvalidValueError`` for a count, rates or a topic out of range.
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

/// The tokens of a population, in the order of their numbers.
public struct PopulationTokens: Sendable, RandomAccessCollection {
    /// The state of a token.
    public enum Standing: String, Sendable, Hashable, Codable, CaseIterable {
        /// A device with the app.
        case valid
        /// Nothing: it was never issued.
        case invalid
        /// A device whose app was removed.
        case unregistered
    }

    private let configuration: PopulationConfiguration
    private let cipher: TokenGenerator

    /// The tokens of this population.
    public init(_ configuration: PopulationConfiguration) {
        self.configuration = configuration
        self.cipher = TokenGenerator(seed: configuration.seed)
    }

    /// The number of the first token.
    public var startIndex: Int { 0 }
    /// How many tokens there are.
    public var endIndex: Int { self.configuration.count }

    /// A token in hexadecimal.
    public subscript(number: Int) -> String { Hex.text(self.cipher.token(UInt64(number)).bytes) }

    /// The state of the token with this number.
    public func standing(_ number: Int) -> Standing {
        let dice = self.cipher.dice(UInt64(number))
        if dice < self.configuration.invalidRate { return .invalid }
        return dice < self.configuration.invalidRate + self.configuration.unregisteredRate ? .unregistered : .valid
    }

    /// The number of a token; `nil` for one that is not of this population.
    func number(_ token: StandardToken) -> Int? {
        guard let number = self.cipher.number(token), number < UInt64(self.configuration.count) else { return nil }
        return Int(number)
    }

    func token(_ number: Int) -> StandardToken { self.cipher.token(UInt64(number)) }
}
