// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import JSONSchema
import NIOCore
import PushModel

/// The lines that a stream answers, written byte by byte: there are as many as there are notifications.
enum StreamResponseWriter {
    /// The stream resumes after this number of lines.
    static func resumed(_ accepted: Int, to output: inout ByteBuffer) {
        output.writeString("{\"type\":\"resumed\",\"accepted\":\(accepted)}\n")
    }

    /// All lines up to this one are stored, or rejected.
    static func accepted(through line: Int, to output: inout ByteBuffer) {
        output.writeString("{\"type\":\"accepted\",\"acceptedThrough\":\(line)}\n")
    }

    static func rejected(
        _ line: Int,
        name: ArraySlice<UInt8>,
        problem: ArraySlice<UInt8>,
        to output: inout ByteBuffer
    ) {
        output.writeStaticString("{\"type\":\"rejected\",\"line\":")
        output.writeDecimal(line)
        output.writeName(name)
        output.writeStaticString(",\"problem\":")
        output.writeBytes(problem)
        output.writeStaticString("}\n")
    }

    static func outcome(
        _ outcome: Outcome,
        of line: Int,
        name: ArraySlice<UInt8>,
        apnsID: APNsID,
        to output: inout ByteBuffer
    ) {
        output.writeStaticString("{\"type\":\"outcome\",\"line\":")
        output.writeDecimal(line)
        output.writeName(name)
        output.writeStaticString(",\"apnsID\":\"")
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: APNsID.canonicalCount) { space in
            apnsID.write(into: UnsafeMutableRawBufferPointer(rebasing: space[..<APNsID.canonicalCount]))
            return APNsID.canonicalCount
        }
        switch outcome {
        case .delivered: output.writeStaticString("\",\"outcome\":\"delivered\"}\n")
        case .rejected(let rejection):
            output.writeStaticString("\",\"outcome\":\"rejected\",\"status\":")
            output.writeDecimal(rejection.status)
            output.writeStaticString(",\"reason\":")
            output.writeJSON(.string(rejection.reason.rawValue))
            if let time = rejection.inactiveSince {
                output.writeStaticString(",\"inactiveSince\":")
                output.writeJSON(.string(RFC3339.text(milliseconds: time)))
            }
            output.writeStaticString("}\n")
        case .failed(let code):
            output.writeStaticString("\",\"outcome\":\"failed\",\"code\":")
            output.writeJSON(.string(code.rawValue))
            output.writeStaticString("}\n")
        }
    }

    /// The last line.
    static func end(_ end: StreamEndReason, _ tally: StreamCounts, to output: inout ByteBuffer) {
        output.writeStaticString("{\"type\":\"end\",\"reason\":\"")
        output.writeString(end.reason)
        output.writeString(
            """
            ","linesRead":\(tally.linesRead),"accepted":\(tally.accepted),"rejectedLines":\(tally.rejectedLines),\
            "delivered":\(tally.delivered),"rejected":\(tally.rejected),"failed":\(tally.failed),\
            "pending":\(tally.pending)
            """
        )
        if let problem = end.problem {
            output.writeStaticString(",\"problem\":")
            output.writeBytes(problem.lineJSON)
        }
        output.writeStaticString("}\n")
    }
}

extension ByteBuffer {
    /// The caller's name for a line, whose bytes are the content of a JSON string as it came.
    fileprivate mutating func writeName(_ name: ArraySlice<UInt8>) {
        guard !name.isEmpty else { return }
        self.writeStaticString(",\"id\":\"")
        self.writeBytes(name)
        self.writeInteger(UInt8(ascii: "\""))
    }

    fileprivate mutating func writeJSON(_ value: JSONValue) {
        self.writeBytes((try? value.json()) ?? Array("null".utf8))
    }

    /// Writes a number in decimal digits, without making a string of it.
    fileprivate mutating func writeDecimal(_ number: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number.magnitude
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            // A number has at most 19 digits, so there is room for the sign.
            if number < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            self.writeBytes(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[start...]))
        }
    }
}

/// Why a stream ended.
enum StreamEndReason: Sendable {
    /// The client ended it, and every line has its outcome.
    case completed

    /// The client ended it, and some outcomes take longer than the server waits.
    case outcomesPending

    /// The server is stopping.
    case shuttingDown

    /// The server cannot continue the stream.
    case problem(Problem)

    /// The reason in the last line.
    var reason: String {
        switch self {
        case .completed: "completed"
        case .outcomesPending: "outcomes_pending"
        case .shuttingDown: ProblemCode.shuttingDown.rawValue
        case .problem(let problem): problem.code.rawValue
        }
    }

    var problem: Problem? {
        if case .problem(let problem) = self { problem } else { nil }
    }
}
