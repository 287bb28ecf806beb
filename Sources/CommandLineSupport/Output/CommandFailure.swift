// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import ArgumentParser
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

/// The entry point of an executable: parses, runs, and turns whatever goes wrong into a message and an exit code.
///
/// Exit codes: 0 all went well, 1 it failed, 2 the command line itself is wrong, 3 what was created was lost sight of.
/// Whoever stops reading standard output ends the command by SIGPIPE, as with other programs.
package enum CommandEntry {
    package static func run<Root: ParsableCommand>(_ root: Root.Type) async {
        StandardStream.ignoreLostReaders()
        do {
            var command = try root.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            Self.exit(root, with: error)
        }
    }

    private static func exit(_ root: (some ParsableCommand).Type, with error: any Error) -> Never {
        let code = root.exitCode(for: error)
        if code == .success {
            Console.out(root.message(for: error))
        } else if code == .validationFailure {
            Console.note(root.fullMessage(for: error))
            Foundation.exit(2)
        } else if let failure = CommandFailure(error) {
            failure.report(asJSON: CommandLine.arguments.contains("--json"))
            Foundation.exit(failure.status)
        }
        Foundation.exit(code == .success ? 0 : 1)
    }
}
