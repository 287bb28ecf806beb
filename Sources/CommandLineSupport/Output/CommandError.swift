// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import ArgumentParser
import Foundation

/// The failure of a command, for people and for programs.
package struct CommandError: Error, CustomStringConvertible {
    /// The code of the failure, for programs: `unreachable`, `port_taken`, or a problem code of the server.
    package let code: String

    /// The failure and its fix; contains no secret and no complete token.
    package let message: String

    /// The exit status: 1, 2 for an invalid command line, 3 if watching of a created resource ended early.
    let status: Int32

    /// Whether a retry may succeed soon: there was no response, or the response is about the state of the server.
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

    /// Converts any error; `nil` if the command has already printed everything.
    init?(_ error: any Error) {
        switch error {
        case is ExitCode: return nil
        case let failure as CommandError: self = failure
        case is CancellationError: self.init("cancelled", "Stopped before it was done.")
        default: self.init("failed", "\(error)", cause: error)
        }
    }

    package var description: String { "\(self.code): \(self.message)" }

    /// Prints the failure: as a line of JSON on standard output, or as text on standard error.
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

/// The entry point of an executable: parses, runs, and converts errors into a message and an exit code.
///
/// Exit codes: 0 success, 1 failure, 2 invalid command line, 3 watching of a created resource ended early. If the
/// reader of standard output stops reading, SIGPIPE ends the command, as with other programs.
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
            Console.note(Self.usageError(error, of: root))
            Foundation.exit(2)
        } else if let failure = CommandError(error) {
            failure.report(asJSON: CommandLine.arguments.contains("--json"))
            Foundation.exit(failure.status)
        }
        Foundation.exit(code == .success ? 0 : 1)
    }

    /// Returns the message for an invalid command line, with the usage of the command.
    ///
    /// An unknown option replaces the error, because it may be its cause.
    private static func usageError(_ error: any Error, of root: (some ParsableCommand).Type) -> String {
        let text = root.fullMessage(for: error)
        guard let unknown = UnknownOption(in: CommandLine.arguments.dropFirst(), of: root),
            let usage = text.range(of: "Usage: ", options: .backwards)
        else { return text }
        return "Error: \(unknown.message)\n\(text[usage.lowerBound...])"
    }
}
