// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A promise of the store protocols that a store does not keep.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// What was expected and what was found.
    public let message: String

    /// Where it was expected, as `file:line`.
    public let location: String

    /// The message and the place.
    public var description: String { "\(self.message) (\(self.location))" }
}

/// Throws unless a condition holds.
func expect(
    _ condition: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) throws {
    if condition { return }
    throw ConformanceFailure(message: message(), location: "\(file):\(line)")
}

/// Throws unless two values are equal.
func expectEqual<Value: Equatable>(
    _ found: Value,
    _ expected: Value,
    _ what: String,
    file: StaticString = #fileID,
    line: UInt = #line
) throws {
    try expect(found == expected, "\(what): expected \(expected), found \(found)", file: file, line: line)
}

/// Throws when there is no value.
func require<Value>(
    _ value: Value?,
    _ what: String,
    file: StaticString = #fileID,
    line: UInt = #line
) throws -> Value {
    guard let value else { throw ConformanceFailure(message: "\(what): found none", location: "\(file):\(line)") }
    return value
}
