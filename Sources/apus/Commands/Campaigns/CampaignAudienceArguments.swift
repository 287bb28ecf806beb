// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser

/// To whom, in flags.
struct CampaignAudienceArguments: ParsableArguments {
    @Option(help: "To whom, as JSON. Default: all devices.")
    var audience: String?

    @Option(help: "To devices that are subscribed to this topic.")
    var topic: String?

    /// Refuses flags that do not belong together.
    func check() throws {
        guard self.audience == nil || self.topic == nil else {
            throw ValidationError("Give either --audience or --topic.")
        }
    }

    /// The audience, as the API takes it.
    func value() throws -> JSONValue {
        if let topic { return ["topic": .string(topic)] }
        guard let audience else { return ["all": true] }
        return try JSONValue(text: Array(audience.utf8), of: "--audience")
    }
}
