// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    /// What the catalogue says of the codes of streams.
    var streamEntry: ProblemEntry {
        switch self {
        case .lineTooLong:
            ProblemEntry(
                413,
                "The line is too long",
                "A line of a stream is longer than 16 KiB, several times Apple's largest payload, or one of an import "
                    + "of devices longer than 64 KiB. Only that line is refused.",
                fix: "End every line with a line feed, and send the payload without white space."
            )
        case .streamGap:
            ProblemEntry(
                409,
                "Lines of the stream are missing",
                "`from` lies behind the lines that the server has accepted, so that some would never be sent. The "
                    + "stream may also have been forgotten: that happens 24 hours after its last line.",
                fix: "Go on from the line that `errors` names; lines that were accepted before are not sent again."
            )
        case .streamTaken:
            ProblemEntry(
                409,
                "Another connection goes on with the stream",
                "While this connection was open, lines of the same stream came by another one. What was acknowledged "
                    + "here is sent; lines that were not acknowledged are not stored.",
                fix: "Use one connection at a time for a stream. To go on with this one, open it again."
            )
        default:
            ProblemEntry(
                503,
                "The server has enough streams",
                "The server serves as many streams as it may at once.",
                fix: "Close streams that are idle, or send as batches.",
                retryAfter: 5
            )
        }
    }
}
