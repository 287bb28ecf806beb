// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient

/// The parts of a response that `apus canary` compares.
struct CanaryResponse: Encodable, Hashable, Sendable {
    /// `nil` where no response arrived.
    var status: Int?

    /// The reason of a rejection.
    var reason: String?

    /// The names of the header fields that begin with `apns-`, sorted.
    var headers: [String] = []

    /// Why no response arrived.
    var failure: String?

    init(failure: String) {
        self.failure = failure
    }

    init(_ response: APNsResponse) {
        self.status = response.status
        self.headers = response.headers.keys.filter { $0.hasPrefix("apns-") }.sorted()
        if !(200..<300).contains(response.status) {
            self.reason = Rejection(status: response.status, body: response.body).reason.rawValue
        }
    }

    /// `200`, `400 BadTopic`, or that no response arrived.
    var summary: String {
        guard let status else { return "no response" }
        return (["\(status)"] + [self.reason].compactMap(\.self)).joined(separator: " ")
    }

    /// In which ways this response of APNs differs from the simulator's; empty where they are alike.
    func differences(from simulator: CanaryResponse) -> [String] {
        if let failure { return ["no response from APNs: \(failure)"] }
        if let failure = simulator.failure { return ["no response from the simulator: \(failure)"] }
        var differences: [String] = []
        if self.status != simulator.status { differences.append("status") }
        if self.reason != simulator.reason { differences.append("reason") }
        // A success has other headers than a rejection.
        guard self.status == simulator.status else { return differences }
        let own = Set(self.headers).subtracting(simulator.headers).sorted()
        let missing = Set(simulator.headers).subtracting(self.headers).sorted()
        if !own.isEmpty { differences.append("only APNs sends \(own.joined(separator: ", "))") }
        if !missing.isEmpty { differences.append("only the simulator sends \(missing.joined(separator: ", "))") }
        return differences
    }
}
