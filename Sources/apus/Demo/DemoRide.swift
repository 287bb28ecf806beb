// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// A ride on a rented bicycle, as the rider's phone shows it: the fee, how far, and until about when.
struct DemoRide: Sendable {
    static let app = "com.example.bicycle"
    static let appName = "Bicycle"
    static let type = "RidingAttributes"
    static let phone = "rider-iphone"
    static let id = "ride-7"

    /// The app's `ContentState`.
    static let stateShape: JSONValue = [
        "type": "object",
        "properties": [
            "fee": ["type": "integer"], "estimatedDistance": ["type": "number"],
            "estimatedRidingTime": ["type": "date"],
        ],
    ]

    static let attributesShape: JSONValue = ["type": "object", "properties": [:]]

    /// How far, in kilometres.
    let distance: Double

    /// Until about when.
    let until: Date

    /// What it costs so far, in won.
    var fee: Int { self.distance == 0 ? 0 : 400 + 150 * Int(self.distance) }

    /// What the phone shows, in words.
    var shown: String { "\(self.fee) won, \(self.distance) km, until about \(DemoClock.text(self.until))" }

    /// What the phone shows.
    var state: JSONValue {
        [
            "fee": .integer(Int64(self.fee)),
            "estimatedDistance": self.distance == 0 ? 0 : .double(self.distance),
            "estimatedRidingTime": .integer(Int64(self.until.timeIntervalSinceReferenceDate)),
        ]
    }
}
