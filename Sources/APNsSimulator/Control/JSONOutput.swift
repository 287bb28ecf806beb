// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON value that is about to be written.
///
/// A notification's payload goes in as it came, byte for byte.
indirect enum JSONOutput {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    /// JSON text that is known to be well-formed.
    case raw([UInt8])
    case array([JSONOutput])
    /// Members in the order in which they are written.
    case object([(String, JSONOutput)])

    /// A moment as text: RFC 3339 in UTC with milliseconds; one that a calendar cannot write is the nearest that it can.
    static func date(_ date: Date) -> JSONOutput {
        let seconds = min(max(date.timeIntervalSince1970, Moment.range.lowerBound), Moment.latest)
        return .string(
            Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        )
    }

    /// A moment, or null.
    static func optionalDate(_ date: Date?) -> JSONOutput { date.map { .date($0) } ?? .null }

    /// A number, without a fraction where it has none.
    static func decimal(_ value: Double) -> JSONOutput {
        Int(exactly: value).map { .integer($0) } ?? .number(value)
    }

    /// A string, or null.
    static func optional(_ string: String?) -> JSONOutput { string.map { .string($0) } ?? .null }

    /// The value as text.
    var bytes: [UInt8] {
        var output: [UInt8] = []
        self.write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += Array("null".utf8)
        case .bool(let value): output += Array((value ? "true" : "false").utf8)
        case .integer(let value): output += Array(String(value).utf8)
        case .number(let value): output += Array("\(value)".utf8)
        case .string(let value): Self.write(value, to: &output)
        case .raw(let bytes): output += bytes
        case .array(let values):
            output.append(UInt8(ascii: "["))
            for (position, value) in values.enumerated() {
                if position > 0 { output.append(UInt8(ascii: ",")) }
                value.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (position, member) in members.enumerated() {
                if position > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.0, to: &output)
                output.append(UInt8(ascii: ":"))
                member.1.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): output += Array("\\n".utf8)
            case 0..<0x20:
                output += Array("\\u00".utf8) + Array(HexDigit.string(CollectionOfOne(byte)).utf8)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
