// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What an error packet of the binary protocol says.
enum LegacyStatus: UInt8, Sendable, CaseIterable {
    case processingError = 1
    case missingDeviceToken = 2
    case missingTopic = 3
    case missingPayload = 4
    case invalidTokenSize = 5
    case invalidTopicSize = 6
    case invalidPayloadSize = 7
    case invalidToken = 8
    /// The identifier is that of the last notification that was taken.
    case shutdown = 10
    case protocolError = 128
    case unknown = 255

    /// The status that comes closest to a reason of the provider API.
    init(_ reason: RejectionReason) {
        switch reason {
        case .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken: self = .invalidToken
        case .missingDeviceToken: self = .missingDeviceToken
        case .missingTopic: self = .missingTopic
        case .payloadEmpty: self = .missingPayload
        case .payloadTooLarge: self = .invalidPayloadSize
        case .shutdown, .serviceUnavailable: self = .shutdown
        case .internalServerError: self = .processingError
        default: self = .unknown
        }
    }

    /// The packet: command 8, the status, the identifier.
    func packet(identifier: UInt32) -> [UInt8] {
        [8, self.rawValue] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: identifier >> $0) }
    }
}
