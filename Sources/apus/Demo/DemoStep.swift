// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// A push of a Live Activity in the demo.
enum DemoStep: Sendable {
    case lessonIsLonger(DemoLesson)
    case lessonIsEnding(DemoLesson)
    case lessonIsOver(DemoLesson)
    case rideBegins(DemoRide)
    case rideGoesOn(DemoRide)
    case rideIsReminded(DemoRide)
    case rideIsOver(DemoRide)

    /// For messages.
    var title: String {
        switch self {
        case .lessonIsLonger: "the longer lesson"
        case .lessonIsEnding: "the transition 'ending' of the lesson"
        case .lessonIsOver: "the transition 'over' of the lesson"
        case .rideBegins: "the start of the ride"
        case .rideGoesOn(let ride): "the ride at \(ride.distance) km"
        case .rideIsReminded: "the transition 'reminder' of the ride"
        case .rideIsOver: "the end of the ride"
        }
    }

    /// Whether it was planned ahead, for the scheduler to carry out.
    var isPlanned: Bool {
        switch self {
        case .lessonIsEnding, .lessonIsOver, .rideIsReminded: true
        case .lessonIsLonger, .rideBegins, .rideGoesOn, .rideIsOver: false
        }
    }

    /// The text printed with the time, unless it was printed already.
    var opening: String? {
        switch self {
        case .lessonIsEnding: "The scheduler executes a transition: 15 minutes are left."
        case .lessonIsOver: "And again, on time: the lesson is over."
        case .rideGoesOn: "The ride continues."
        case .rideIsOver: "The bicycle is back at a station."
        case .lessonIsLonger, .rideBegins, .rideIsReminded: nil
        }
    }

    /// The content on the device.
    var shown: String {
        switch self {
        case .lessonIsLonger(let lesson): lesson.shown("active")
        case .lessonIsEnding(let lesson): lesson.shown("ending")
        case .lessonIsOver(let lesson): lesson.shown("ended")
        case .rideBegins(let ride): "\"Have a good ride\"  \(ride.shown)"
        case .rideGoesOn(let ride): ride.shown
        case .rideIsReminded(let ride): "\"5 minutes left\"  \(ride.shown)"
        case .rideIsOver(let ride): "\(ride.shown): ended"
        }
    }

    var phone: String {
        switch self {
        case .lessonIsLonger, .lessonIsEnding, .lessonIsOver: DemoLesson.phone
        case .rideBegins, .rideGoesOn, .rideIsReminded, .rideIsOver: DemoRide.phone
        }
    }
}

/// A lesson at an academy, as a parent's device shows it: who, what, until when, and its status.
struct DemoLesson: Sendable {
    static let app = "com.example.ivent"
    static let appName = "iVent"
    static let type = "IVENTActivityAttributes"
    static let phone = "parent-iphone"

    /// The app's `ContentState`; a `Date` is decoded from the seconds since 2001.
    static let stateShape: JSONValue = [
        "type": "object",
        "properties": [
            "childName": ["type": "string"], "scheduleTitle": ["type": "string"], "endTime": ["type": "date"],
            "status": ["type": "string"],
        ],
    ]

    static let attributesShape: JSONValue = [
        "type": "object",
        "properties": ["childId": ["type": "string"], "academyName": ["type": "string"]],
    ]

    static let attributes: JSONValue = ["childId": "child-7", "academyName": "Hanbit Academy"]

    /// The name of the activity in the app and the backend.
    let id: String

    var endsAt: Date

    /// Returns the content state on the device.
    func state(_ status: String) -> JSONValue {
        [
            "childName": "Minjun", "scheduleTitle": "Mathematics", "endTime": .integer(self.endTime),
            "status": .string(status),
        ]
    }

    /// The same in words.
    func shown(_ status: String) -> String { "Minjun, Mathematics until \(DemoClock.text(self.endsAt)): \(status)" }

    /// When the content becomes stale.
    var staleDate: Date { self.endsAt.addingTimeInterval(300) }

    /// The end as the app's type decodes it.
    var endTime: Int64 {
        // Cannot trap: `SimulatedTime.Reading` has no time beyond the year 9999.
        Int64(self.endsAt.timeIntervalSinceReferenceDate)
    }
}

/// A ride on a rented bicycle, as the rider's device shows it: the fee, the distance, and the expected end.
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

    let until: Date

    /// The fee so far, in won.
    var fee: Int {
        // Cannot trap: the distances are constants of the demo, a few kilometres.
        self.distance == 0 ? 0 : 400 + 150 * Int(self.distance)
    }

    /// The content on the device, in words.
    var shown: String { "\(self.fee) won, \(self.distance) km, until about \(DemoClock.text(self.until))" }

    /// The content state.
    var state: JSONValue {
        [
            "fee": .integer(Int64(self.fee)),
            "estimatedDistance": self.distance == 0 ? 0 : .double(self.distance),
            // Cannot trap: `SimulatedTime.Reading` has no time beyond the year 9999.
            "estimatedRidingTime": .integer(Int64(self.until.timeIntervalSinceReferenceDate)),
        ]
    }
}
