// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// Why a command failed, as it is told to people and to programs.
package struct CommandFailure: Error, CustomStringConvertible {
    /// What kind of failure it is, for programs: `unreachable`, `port_taken`, or a problem code of the server.
    package let code: String

    /// What happened and how to fix it; holds no secret and no whole token.
    package let message: String

    /// The exit status: 1, 2 where the command line itself is wrong, 3 where what was created was lost sight of.
    let status: Int32

    /// Whether the same call may go well a little later: no answer came, or one that speaks of the server's own state.
    package let mayPass: Bool

    /// The failure beneath, where there is one.
    let cause: (any Error)?

    package init(
        _ code: String,
        _ message: String,
        status: Int32 = 1,
        mayPass: Bool = false,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.mayPass = mayPass
        self.cause = cause
    }

    /// What any error means to the caller of a command; `nil` where the command has said all there is to say.
    init?(_ error: any Error) {
        switch error {
        case is ExitCode: return nil
        case let failure as CommandFailure: self = failure
        case is CancellationError: self.init("cancelled", "Stopped before it was done.")
        default: self.init("failed", "\(error)", cause: error)
        }
    }

    package var description: String { "\(self.code): \(self.message)" }

    /// Tells the failure: as a line of JSON on standard output, or in words on standard error.
    func report(asJSON: Bool) {
        if asJSON, (try? Console.json(Report(error: .init(code: self.code, message: self.message)))) != nil { return }
        Console.note("apus: \(self.message)")
    }

    private struct Report: Encodable {
        struct Failure: Encodable {
            let code: String
            let message: String
        }
        let error: Failure
    }
}
