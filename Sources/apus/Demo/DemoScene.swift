// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One thing that a phone is told about a Live Activity in the demo.
enum DemoScene: Sendable {
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

    /// What the time is told with, unless that has been told already.
    var opening: String? {
        switch self {
        case .lessonIsEnding: "The scheduler carries out what is planned: a quarter of an hour is left."
        case .lessonIsOver: "And again, on time: the lesson is over."
        case .rideGoesOn: "The ride goes on."
        case .rideIsOver: "The bicycle is back at a station."
        case .lessonIsLonger, .rideBegins, .rideIsReminded: nil
        }
    }

    /// What the phone shows.
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

    /// The phone.
    var phone: String {
        switch self {
        case .lessonIsLonger, .lessonIsEnding, .lessonIsOver: DemoLesson.phone
        case .rideBegins, .rideGoesOn, .rideIsReminded, .rideIsOver: DemoRide.phone
        }
    }
}
