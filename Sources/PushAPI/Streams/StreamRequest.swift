// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// How a client wants a stream to begin: `?stream=<id>&from=<line>&outcomesAfter=<line>`.
struct StreamRequest: Hashable, Sendable {
    /// The parameters of the query.
    static let parameters = ["stream", "from", "outcomesAfter"]

    /// The client's name for the stream; `nil` for one that cannot be gone on with.
    let stream: StreamID?

    /// The number of the first line of this request.
    let firstLine: Int

    /// The line after which outcomes are wanted that were found before; `nil` for none.
    let outcomesAfter: Int?

    /// Takes the parameters of a query.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for a value that breaks a rule, and for one that needs a stream's name.
    init(_ query: [String: String]) throws(Problem) {
        var faults = FaultList()
        var stream: StreamID?
        do {
            stream = try query["stream"].map { (text) throws(ValidationFailure) in try StreamID(validating: text) }
        } catch {
            faults.add(error, at: .query("stream"))
        }
        self.stream = stream
        self.firstLine = Self.line(query, "from", minimum: 1, &faults) ?? 1
        self.outcomesAfter = Self.line(query, "outcomesAfter", minimum: 0, &faults)
        if query["stream"] == nil {
            for name in ["from", "outcomesAfter"] where query[name] != nil {
                faults.add(.query(name), expected: "nothing without 'stream'", got: "a value")
            }
        }
        try faults.check()
    }

    private static func line(
        _ query: [String: String],
        _ name: String,
        minimum: Int,
        _ faults: inout FaultList
    ) -> Int? {
        guard let text = query[name] else { return nil }
        if let line = Int(text), (minimum...Int(Int32.max)).contains(line) { return line }
        let rule = "the number of a line, \(minimum) or more"
        faults.add(.query(name), expected: rule, got: "\(text.utf8.count) characters that are none")
        return nil
    }

    /// Holds what is asked for against how far the stream has come.
    ///
    /// - Throws: ``Problem`` `.streamGap` when lines were left out.
    func check(accepted: Int) throws(Problem) {
        guard self.firstLine > accepted + 1 else { return }
        throw Problem(
            .streamGap,
            at: .query("from"),
            expected: "at most \(accepted + 1), since \(accepted) lines were accepted",
            got: "\(self.firstLine)"
        )
    }
}
