// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit
import Foundation

/// What a ride shows on the Lock Screen.
///
/// In Xcode this file belongs to the app and to the widget extension.
struct RideAttributes: ActivityAttributes, Sendable {
    struct ContentState: Codable, Hashable, Sendable {
        var fee: Int
        var distance: Double
        var endsAt: Date
    }

    /// The name of the ride, by which the server knows it too.
    var ride: String
}
