// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// How a change of an activity is called for, and told of.
struct ActivityCallArguments: ParsableArguments {
    @Flag(help: "Wait for the outcomes of its pushes; the exit status is 0 only when APNs took all of them.")
    var wait = false

    @Option(help: "A name for the request: repeated within 24 hours with the same name, it is not carried out again.")
    var idempotencyKey: String?

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    /// Makes the call and tells what it came to.
    ///
    /// - Throws: ``CommandFailure``; `ExitCode.failure` where it was waited for and APNs has not taken every push.
    func make(_ method: HTTPVerb, _ path: String, body: Data) async throws {
        let answer = try await self.server.client().call(
            method,
            self.wait ? "\(path)\(path.contains("?") ? "&" : "?")wait=true" : path,
            body: body,
            headers: self.idempotencyKey.map { ["Idempotency-Key": $0] } ?? [:]
        )
        let receipt = try answer.decoded(as: ActivityReceiptAnswer.self)
        if self.output.json { Console.out(answer.text) } else { receipt.report() }
        guard self.wait, receipt.sent > 0, receipt.dryRun != true else { return }
        guard let outcome = receipt.outcome else {
            Console.note("No outcome yet for all of its pushes; the server goes on.")
            throw ExitCode.failure
        }
        if outcome.counts.delivered < outcome.targetCount { throw ExitCode.failure }
    }
}
