// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The tokens of a population, in the order of their numbers.
public struct PopulationTokens: Sendable, RandomAccessCollection {
    /// What stands behind a token.
    public enum Standing: String, Sendable, Hashable, Codable, CaseIterable {
        /// A device with the app.
        case valid
        /// Nothing: it was never issued.
        case invalid
        /// A device whose app was removed.
        case unregistered
    }

    private let configuration: PopulationConfiguration
    private let cipher: TokenCipher

    /// The tokens of this population.
    public init(_ configuration: PopulationConfiguration) {
        self.configuration = configuration
        self.cipher = TokenCipher(seed: configuration.seed)
    }

    /// The number of the first token.
    public var startIndex: Int { 0 }
    /// How many tokens there are.
    public var endIndex: Int { self.configuration.count }

    /// A token in hexadecimal.
    public subscript(number: Int) -> String { HexDigit.string(self.cipher.token(UInt64(number)).bytes) }

    /// What stands behind a token.
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

    /// The token of a number.
    func token(_ number: Int) -> StandardToken { self.cipher.token(UInt64(number)) }
}
