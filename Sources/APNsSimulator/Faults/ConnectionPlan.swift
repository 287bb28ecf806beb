// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// What all the faults that strike a new connection come to.
struct ConnectionPlan: Sendable, Equatable {
    /// A GOAWAY in the place of the first SETTINGS.
    struct FirstGoAway: Sendable, Equatable {
        /// The bytes of the frame.
        var frame: [UInt8]
        /// The last stream that is taken, as the frame says.
        var lastStreamID: Int32
    }

    var isRefused = false
    var acceptDelay: Duration = .zero
    var tls: TLSFault?
    var goAwayFirst: FirstGoAway?
    var settings: SettingsChange?
    var cuts: [ConnectionCut] = []
    var roundTrip: Duration = .zero
    var fragmentSize: Int?

    /// Takes in one fault; times are drawn from its dice.
    mutating func add(_ fault: ConnectionFault, dice: inout SplitMix64) {
        switch fault {
        case .refuse: self.isRefused = true
        case .slowAccept(let latency): self.acceptDelay += latency.draw(using: &dice)
        case .tls(let fault): self.tls = fault
        case .goAwayFirst(let reason, let code, let lastStreamID):
            let frame = Self.goAway(Rejection(reason).body, code: code, lastStreamID: lastStreamID)
            self.goAwayFirst = FirstGoAway(frame: frame, lastStreamID: lastStreamID)
        case .settings(let change):
            var merged = self.settings ?? SettingsChange()
            merged.maximumConcurrentStreams = change.maximumConcurrentStreams ?? merged.maximumConcurrentStreams
            merged.initialWindowSize = change.initialWindowSize ?? merged.initialWindowSize
            self.settings = merged
        case .cut(let cut): self.cuts.append(cut)
        case .roundTrip(let latency): self.roundTrip += latency.draw(using: &dice)
        case .fragments(let size): self.fragmentSize = size
        }
    }

    /// A GOAWAY frame (RFC 9113 section 6.8).
    private static func goAway(_ debugData: [UInt8], code: HTTP2ErrorCode, lastStreamID: Int32) -> [UInt8] {
        func bytes(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        let length = UInt32(8 + debugData.count)
        return bytes(length).dropFirst() + [7, 0] + bytes(0) + bytes(UInt32(bitPattern: lastStreamID))
            + bytes(code.rawValue) + debugData
    }
}
