// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import PushModel

/// Why a stream came to its end.
enum StreamEnd: Sendable {
    /// The client ended it, and every line has its outcome.
    case complete

    /// The client ended it, and some outcomes take longer than the server waits.
    case outcomesPending

    /// The server is stopping.
    case shuttingDown

    /// The server cannot go on with it.
    case problem(Problem)

    /// What the last line says.
    var reason: String {
        switch self {
        case .complete: "complete"
        case .outcomesPending: "outcomes_pending"
        case .shuttingDown: ProblemCode.shuttingDown.rawValue
        case .problem(let problem): problem.code.rawValue
        }
    }

    var problem: Problem? {
        if case .problem(let problem) = self { problem } else { nil }
    }
}
