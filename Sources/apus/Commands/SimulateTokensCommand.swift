// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import APNsSimulator
public import ArgumentParser
import CommandLineSupport
import Foundation

struct SimulateTokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Print the device tokens of a population, one per line.",
        discussion: """
            The tokens are those of a simulator with the same --population, rates and seed:

            apus simulate --population 1000000 --invalid-rate 0.01
            apus simulate tokens --population 1000000 --invalid-rate 0.01 > tokens.txt
            """
    )

    /// The number of tokens per write.
    private static let pieceSize = 10_000

    @OptionGroup var arguments: PopulationArguments

    @Option(help: "Maximum number of tokens. Default: all.")
    var count: Int?

    @Option(help: "Index of the first token, from 0.")
    var skip = 0

    @Option(help: "Tokens to print: valid, invalid or unregistered. Default: all.")
    var only: PopulationTokens.Standing?

    func validate() throws {
        guard let population = self.arguments.population else {
            throw ValidationError("--population is missing. Expected the number of tokens.")
        }
        _ = try self.arguments.configuration(environment: .sandbox)
        guard (0...population).contains(self.skip) else {
            throw ValidationError("--skip: expected a number from 0 to \(population), got \(self.skip).")
        }
        if let count = self.count, count < 0 { throw ValidationError("--count: expected at least 0, got \(count).") }
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

/// The options of a population, whose device tokens are computed.
struct PopulationArguments: ParsableArguments {
    @Option(help: "Number of computed device tokens, each of a device with one app.")
    var population: Int?

    @Option(help: "Share of the population's tokens that never belonged to a device, from 0 to 1. Default: 0.")
    var invalidRate: Double?

    @Option(help: "Share of the population's tokens whose app was removed, from 0 to 1. Default: 0.")
    var unregisteredRate: Double?

    @Option(help: "Topic of the population's tokens. Default: com.example.app.")
    var populationApp: String?

    @Option(help: "Seed of the population's tokens. Default: 1.")
    var populationSeed: UInt64?

    /// Returns the population of the options; `nil` without options.
    ///
    /// - Throws: `ValidationError`.
    func configuration(environment: APNsEnvironment) throws -> PopulationConfiguration? {
        guard let count = self.population else {
            let given = [
                ("--invalid-rate", self.invalidRate != nil), ("--unregistered-rate", self.unregisteredRate != nil),
                ("--population-app", self.populationApp != nil), ("--population-seed", self.populationSeed != nil),
            ]
            guard let (name, _) = given.first(where: \.1) else { return nil }
            throw ValidationError("\(name) requires --population.")
        }
        do {
            return try PopulationConfiguration(
                count: count,
                invalidRate: self.invalidRate ?? 0,
                unregisteredRate: self.unregisteredRate ?? 0,
                app: self.populationApp ?? "com.example.app",
                environment: environment,
                seed: self.populationSeed ?? 1
            )
        } catch {
            throw ValidationError(error.message)
        }
    }
}

extension PopulationTokens.Standing: ExpressibleByArgument {}
