// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ArgumentParser
import Foundation

/// Prints the device tokens of a population.
struct SimulateTokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Print the device tokens of a population, one a line.",
        discussion: """
            With the same --population, rates and seed as the simulator has, these are the tokens that it knows:

            apus simulate --population 1000000 --invalid-rate 0.01
            apus simulate tokens --population 1000000 --invalid-rate 0.01 > tokens.txt
            """
    )

    /// How many tokens are written at once.
    private static let pieceSize = 10_000

    @OptionGroup var arguments: PopulationArguments

    @Option(help: "How many tokens are printed. Default: all of them.")
    var count: Int?

    @Option(help: "The number of the first token that is printed, from 0.")
    var skip = 0

    @Option(help: "Which tokens are printed: valid, invalid or unregistered ones. Default: all of them.")
    var only: PopulationTokens.Standing?

    func validate() throws {
        guard let population = self.arguments.population else {
            throw ValidationError("--population is missing: how many tokens there are.")
        }
        _ = try self.arguments.configuration(environment: .sandbox)
        guard (0...population).contains(self.skip) else {
            throw ValidationError("--skip is a number from 0 to \(population); got \(self.skip).")
        }
        if let count = self.count, count < 0 { throw ValidationError("--count is at least 0; got \(count).") }
    }

    func run() throws {
        guard let population = try self.arguments.configuration(environment: .sandbox) else { return }
        let tokens = PopulationTokens(population)
        var left = self.count ?? population.count
        var piece = ""
        for number in self.skip..<population.count where left > 0 {
            if let only = self.only, tokens.standing(number) != only { continue }
            piece += tokens[number] + "\n"
            left -= 1
            if piece.utf8.count >= Self.pieceSize * 65 { Self.write(&piece) }
        }
        Self.write(&piece)
    }

    private static func write(_ piece: inout String) {
        Console.out(bytes: Array(piece.utf8))
        piece.removeAll(keepingCapacity: true)
    }
}
