// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit
import Foundation

/// A ride on a rented bicycle: the content of its Live Activity.
///
/// This file belongs to both targets, the app and the widget extension.
struct RidingAttributes: ActivityAttributes, Sendable {
    typealias RidingStatus = ContentState

    struct ContentState: Codable, Hashable, Sendable {
        /// In won.
        var fee: Int
        /// In kilometers.
        var estimatedDistance: Double
        /// The start of the ride; the Lock Screen counts the time since then without a push.
        var estimatedRidingTime: Date
    }

    /// The ID of the activity on the server.
    var ride: String
}

extension RidingAttributes.RidingStatus {
    /// The fee for a distance in kilometers: 400 won, and 150 won for each complete kilometer up to 1,000.
    ///
    /// The limit keeps the conversion from trapping, because a distance can come from a push.
    static func fee(for distance: Double) -> Int { 400 + 150 * Int(min(max(distance, 0), 1000)) }
}
