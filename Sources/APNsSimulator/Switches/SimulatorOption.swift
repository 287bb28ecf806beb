// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// One entry of the catalogue of switches: its summary and its positions.
///
/// The name is that of the property, after the name of its group if it has one: `connections.idleTimeout`.
public struct SimulatorOption: Sendable {
    /// The name in commands and documents.
    public let name: String
    /// A summary of the effect.
    public let summary: String
    /// The valid positions.
    public let positions: OptionValues

    let read: @Sendable (APNsSimulatorOptions) -> String
    let write: @Sendable (inout APNsSimulatorOptions, String) -> Void

    /// The default position.
    public var defaultChoice: String { self.read(APNsSimulatorOptions()) }

    static func position<Value: RawRepresentable & CaseIterable & Sendable>(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorOptions, Value> & Sendable,
        _ summary: String
    ) -> Self where Value.RawValue == String {
        Self(
            name: name,
            summary: summary,
            positions: .choices(Value.allCases.map(\.rawValue)),
            read: { $0[keyPath: keyPath].rawValue },
            write: { switches, choice in
                if let value = Value(rawValue: choice) { switches[keyPath: keyPath] = value }
            }
        )
    }

    static func reason(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorOptions, RejectionReason> & Sendable,
        _ choices: [RejectionReason],
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .choices(choices.map(\.rawValue)),
            read: { $0[keyPath: keyPath].rawValue },
            write: { $0[keyPath: keyPath] = RejectionReason(rawValue: $1) }
        )
    }

    static func optionalReason(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorOptions, RejectionReason?> & Sendable,
        _ choices: [RejectionReason],
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .choices(choices.map(\.rawValue) + [EdgeCasePolicy.accept.rawValue]),
            read: { $0[keyPath: keyPath]?.rawValue ?? EdgeCasePolicy.accept.rawValue },
            write: { switches, choice in
                switches[keyPath: keyPath] =
                    choice == EdgeCasePolicy.accept.rawValue ? nil : RejectionReason(rawValue: choice)
            }
        )
    }

    static func flag(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorOptions, Bool> & Sendable,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .choices(["true", "false"]),
            read: { String($0[keyPath: keyPath]) },
            write: { $0[keyPath: keyPath] = $1 == "true" }
        )
    }
}

/// Switches with numeric positions.
extension SimulatorOption {
    static func integer(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorOptions, Int> & Sendable,
        _ range: ClosedRange<Int>,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .integer(range, orOff: false),
            read: { String($0[keyPath: keyPath]) },
            write: { switches, text in if let value = Int(text) { switches[keyPath: keyPath] = value } }
        )
    }

    static func optionalInteger(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorOptions, Int?> & Sendable,
        _ range: ClosedRange<Int>,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .integer(range, orOff: true),
            read: { $0[keyPath: keyPath].map { String($0) } ?? OptionValues.off },
            write: { $0[keyPath: keyPath] = Int($1) }
        )
    }

    static func number(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorOptions, Double> & Sendable,
        _ range: ClosedRange<Double>,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .number(range, orOff: false),
            read: { String($0[keyPath: keyPath]) },
            write: { switches, text in if let value = Double(text) { switches[keyPath: keyPath] = value } }
        )
    }

    static func optionalNumber(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorOptions, Double?> & Sendable,
        _ range: ClosedRange<Double>,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .number(range, orOff: true),
            read: { $0[keyPath: keyPath].map { String($0) } ?? OptionValues.off },
            write: { $0[keyPath: keyPath] = Double($1) }
        )
    }
}

/// The valid positions of a switch.
public enum OptionValues: Sendable, Hashable, CustomStringConvertible {
    /// The word that disables a limit.
    public static let off = "off"

    /// One of these words.
    case choices([String])
    /// An integer of the range; with `orOff` also the word `off`.
    case integer(ClosedRange<Int>, orOff: Bool)
    /// A number of the range; with `orOff` also the word `off`.
    case number(ClosedRange<Double>, orOff: Bool)

    /// The positions as an expectation in error messages.
    public var description: String {
        switch self {
        case .choices(let words): "one of \(words.joined(separator: ", "))"
        case .integer(let range, let orOff):
            "an integer of \(range.lowerBound)...\(range.upperBound)" + (orOff ? " or off" : "")
        case .number(let range, let orOff):
            "a number of \(range.lowerBound)...\(range.upperBound)" + (orOff ? " or off" : "")
        }
    }

    /// Whether this text is one of the positions.
    public func contains(_ text: String) -> Bool {
        switch self {
        case .choices(let words): words.contains(text)
        case .integer(let range, let orOff):
            orOff && text == Self.off || Int(text).map { range.contains($0) } ?? false
        case .number(let range, let orOff):
            orOff && text == Self.off || Double(text).map { range.contains($0) } ?? false
        }
    }

    /// Example positions for tests: all words, or the ends of the range.
    public var examples: [String] {
        switch self {
        case .choices(let words): words
        case .integer(let range, let orOff):
            ["\(range.lowerBound)", "\(range.upperBound)"] + (orOff ? [Self.off] : [])
        case .number(let range, let orOff):
            ["\(range.lowerBound)", "\(range.upperBound)"] + (orOff ? [Self.off] : [])
        }
    }
}
