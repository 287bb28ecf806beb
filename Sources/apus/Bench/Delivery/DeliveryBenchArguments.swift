// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// How often a measurement of a whole server is taken, and on how many devices.
struct DeliveryBenchArguments: ParsableArguments {
    @Option(help: "How often it is measured; the medians count. At least 3.")
    var rounds = 3

    @Option(help: "How many devices there are, one in a hundred with a token that is no good.")
    var devices = 1_000_000

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard self.rounds >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.rounds).") }
        guard (1000...100_000_000).contains(self.devices) else {
            throw ValidationError("--devices is from 1000 to 100000000; got \(self.devices).")
        }
    }
}
