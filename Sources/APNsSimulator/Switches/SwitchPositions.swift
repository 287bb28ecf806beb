// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The positions that a switch can be put into.
public enum SwitchPositions: Sendable, Hashable, CustomStringConvertible {
    /// The positions of a number that can also be `off` include this word.
    public static let off = "off"

    /// One of these words.
    case choices([String])
    /// An integer of the range; with `orOff` also the word `off`.
    case integer(ClosedRange<Int>, orOff: Bool)
    /// A number of the range; with `orOff` also the word `off`.
    case number(ClosedRange<Double>, orOff: Bool)

    /// What a message says a position has to be.
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

    /// Positions to try a switch with: all words, or the ends of the range.
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
