// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import ArgumentParser
import Foundation

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
            Console.note(root.fullMessage(for: error))
            Foundation.exit(2)
        } else if let failure = CommandFailure(error) {
            failure.report(asJSON: CommandLine.arguments.contains("--json"))
            Foundation.exit(failure.status)
        }
        Foundation.exit(code == .success ? 0 : 1)
    }
}
