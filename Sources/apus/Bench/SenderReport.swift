// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// What a sender in a process of its own reports.
struct SenderReport: Codable {
    let perSecond: Double
    let cpuMicroseconds: Double
    let peakResidentMiB: Double
    let rejected: Int
}

/// Which client a sender uses.
enum SenderEngine: String, ExpressibleByArgument {
    case apus
    case asyncHTTPClient = "async-http-client"
}
