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

/// Devices that exist by computation.
struct PopulationArguments: ParsableArguments {
    @Option(help: "How many device tokens exist by computation, each of a device with one app.")
    var population: Int?

    @Option(help: "The share of the population's tokens that never stood for a device, from 0 to 1. Default: 0.")
    var invalidRate: Double?

    @Option(help: "The share of the population's tokens whose app was removed, from 0 to 1. Default: 0.")
    var unregisteredRate: Double?

    @Option(help: "The topic of the population's tokens. Default: com.example.app.")
    var populationApp: String?

    @Option(help: "What the population's tokens are computed from. Default: 1.")
    var populationSeed: UInt64?

    /// The population that the arguments describe; `nil` without any.
    ///
    /// - Throws: `ValidationError`.
    func configuration(environment: APNsEnvironment) throws -> PopulationConfiguration? {
        guard let count = self.population else {
            let given = [
                ("--invalid-rate", self.invalidRate != nil), ("--unregistered-rate", self.unregisteredRate != nil),
                ("--population-app", self.populationApp != nil), ("--population-seed", self.populationSeed != nil),
            ]
            guard let (name, _) = given.first(where: \.1) else { return nil }
            throw ValidationError("\(name) says what a population is like, and --population is missing.")
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
