// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import PushModel

/// How far an import is.
struct ImportTally: Hashable, Sendable {
    /// Every line up to this one is stored, passed over or refused.
    var lines = 0

    /// How many devices were stored; in a dry run, how many would be.
    var imported = 0

    /// How many were passed over, since the app has registered the device, or its token, after the time of the line.
    var older = 0

    /// How many lines were refused.
    var refused = 0
}

/// The lines that an import answers.
enum ImportAnswer {
    /// How far it is.
    static func progress(_ tally: ImportTally, to output: inout ByteBuffer) {
        output.writeString("{\"type\":\"progress\",\(self.members(tally))}\n")
    }

    /// A line was refused.
    static func refused(_ line: Int, _ problem: Problem, to output: inout ByteBuffer) {
        output.writeString("{\"type\":\"refused\",\"line\":\(line),\"problem\":")
        output.writeBytes(problem.lineJSON)
        output.writeString("}\n")
    }

    /// The last line: with a problem when the import did not come to its end.
    static func end(_ tally: ImportTally, isDryRun: Bool, problem: Problem?, to output: inout ByteBuffer) {
        let reason = problem?.code.rawValue ?? "complete"
        output.writeString("{\"type\":\"end\",\"reason\":\"\(reason)\",\(self.members(tally)),\"dryRun\":\(isDryRun)")
        if let problem {
            output.writeString(",\"problem\":")
            output.writeBytes(problem.lineJSON)
        }
        output.writeString("}\n")
    }

    private static func members(_ tally: ImportTally) -> String {
        """
        "lines":\(tally.lines),"imported":\(tally.imported),"older":\(tally.older),"refused":\(tally.refused)
        """
    }
}
