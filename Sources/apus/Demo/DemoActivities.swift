// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation

/// The second scenario: two Live Activities, their transitions, and a scheduler that is killed in between.
struct DemoActivities {
    /// The maximum time until a device shows a push, on a busy machine.
    private static let patience: Duration = .seconds(60)

    let stage: LocalTestEnvironment
    let scheduler: DemoScheduler
    let narrator: DemoPrinter
    let clock: DemoClock
    private let lessonCalls: DemoActivityCalls
    private let rideCalls: DemoActivityCalls
    /// The two devices.
    private let parent: String
    private let rider: String
    private let parentToken: String
    private var lesson: DemoLesson
    private var arrivals = DemoDeliveryCheck()
    private var faults: [String] = []

    /// Creates the two apps, and the two devices with them.
    init(stage: LocalTestEnvironment, scheduler: DemoScheduler, narrator: DemoPrinter) async throws {
        self.stage = stage
        self.scheduler = scheduler
        self.narrator = narrator
        let control = stage.control
        self.clock = try await DemoClock(control)
        self.lesson = DemoLesson(id: "lesson-42", endsAt: self.clock.time(45))
        self.lessonCalls = try await .make(self.lesson.id, of: DemoLesson.app, named: DemoLesson.appName, on: stage)
        self.rideCalls = try await .make(DemoRide.id, of: DemoRide.app, named: DemoRide.appName, on: stage)
        try await control.registerActivityType(
            DemoLesson.type,
            of: DemoLesson.app,
            contentState: DemoLesson.stateShape,
            attributes: DemoLesson.attributesShape
        )
        try await control.registerActivityType(
            DemoRide.type,
            of: DemoRide.app,
            contentState: DemoRide.stateShape,
            attributes: DemoRide.attributesShape
        )
        let phone = try await control.createDevice(environment: "sandbox", app: DemoLesson.app)
        self.parent = phone.id
        self.parentToken = phone.tokens?[DemoLesson.app] ?? ""
        let rider = try await control.createDevice(environment: "sandbox", app: DemoRide.app)
        self.rider = rider.id
        // A device without a registration can have no push-to-start token.
        _ = try await self.rideCalls.register(DemoRide.phone, token: rider.tokens?[DemoRide.app] ?? "")
    }

    /// Runs the scenario.
    ///
    /// - Throws: ``CommandError`` if a process does not respond as expected.
    mutating func run(_ report: inout DemoReport) async throws {
        self.narrator.introduceActivities(scheduler: self.scheduler.processID, now: self.clock.start)
        try await self.beginLesson()
        try await self.beginRide()

        try await self.pass(to: 10)
        try await self.updateRide(at: 10, DemoRide(distance: 2.3, until: self.clock.time(30)))
        try await self.prolongLesson(at: 10)

        try await self.pass(to: 25)
        try await self.updateRide(at: 25, DemoRide(distance: 4.6, until: self.clock.time(38)))

        try await self.pass(to: 35)
        try await self.see(.lessonIsEnding(self.lesson), self.lessonPush("update", "ending"), at: 35)

        let killed = self.scheduler.processID
        await self.scheduler.kill()
        self.narrator.tellKill(killed, at: self.clock.time(35))
        let ride = DemoRide(distance: 6.8, until: self.clock.time(43))
        try await self.updateRide(at: nil, ride)
        try await self.pass(to: 40)
        self.narrator.tellNobody(at: self.clock.time(40))
        try await self.scheduler.restart()
        self.narrator.tellRestart(self.scheduler.processID, at: self.clock.time(40))
        let reminder = DemoDeliveryCheck.Push(device: self.rider, event: "update", state: ride.state, hasAlert: true)
        try await self.see(.rideIsReminded(ride), reminder)

        try await self.endRide(at: 44, DemoRide(distance: 7.9, until: self.clock.time(44)))
        try await self.pass(to: 50)
        try await self.see(.lessonIsOver(self.lesson), self.lessonPush("end", "ended"), at: 50)
        try await self.pass(to: 55)
        try await self.judge(&report)
    }

    // MARK: The lesson

    private mutating func beginLesson() async throws {
        let control = self.stage.control
        try await control.bringToFront(DemoLesson.app, on: self.parent)
        try await self.startLesson(self.lesson, self.lessonCalls)
        self.narrator.tellLesson(self.lesson, path: self.lessonCalls.path, at: self.clock.start)
        self.narrator.tellPlan(try await self.planLesson(self.lessonCalls), lesson: self.lesson)
    }

    /// The actions of the app when a lesson begins.
    private func startLesson(_ lesson: DemoLesson, _ calls: DemoActivityCalls) async throws {
        let shown = try await self.stage.control.startActivity(
            DemoLesson.type,
            of: DemoLesson.app,
            on: self.parent,
            attributes: DemoLesson.attributes,
            contentState: lesson.state("active")
        )
        guard let token = shown.token else {
            throw CommandError("no_token", "The device returned no update token for the lesson.")
        }
        try await calls.tell(
            token: token,
            of: DemoLesson.phone,
            [
                "attributesType": .string(DemoLesson.type), "attributes": DemoLesson.attributes,
                "contentState": lesson.state("active"),
                "staleDate": .string(lesson.staleDate.ISO8601Format()),
                "instants": ["endsAt": .string(lesson.endsAt.ISO8601Format())],
            ]
        )
    }

    /// The transitions that the backend schedules for a lesson.
    private func planLesson(_ calls: DemoActivityCalls) async throws -> [DemoActivityCalls.Transition] {
        [
            try await calls.plan(
                "ending",
                ["instant": "endsAt", "offsetSeconds": -900, "patch": ["status": "ending"]]
            ),
            try await calls.plan(
                "over",
                ["instant": "endsAt", "patch": ["status": "ended"], "end": ["afterSeconds": 300]]
            ),
        ]
    }

    private mutating func prolongLesson(at minute: Int) async throws {
        self.lesson.endsAt = self.clock.time(50)
        try await self.lessonCalls.change([
            "patch": ["endTime": .integer(self.lesson.endTime)],
            "instants": ["endsAt": .string(self.lesson.endsAt.ISO8601Format())],
            "staleDate": .string(self.lesson.staleDate.ISO8601Format()),
        ])
        self.narrator.tellProlonging(self.lesson, at: self.clock.time(minute))
        try await self.see(.lessonIsLonger(self.lesson), self.lessonPush("update", "active"))
        self.narrator.tellPlan(try await self.lessonCalls.transitions(), lesson: self.lesson)
    }

    private func lessonPush(_ event: String, _ status: String) -> DemoDeliveryCheck.Push {
        DemoDeliveryCheck.Push(device: self.parent, event: event, state: self.lesson.state(status))
    }

    // MARK: The ride

    private mutating func beginRide() async throws {
        let control = self.stage.control
        let startToken = try await control.pushToStartToken(for: DemoRide.type, of: DemoRide.app, on: self.rider)
        try await self.rideCalls.tell(startToken: startToken, for: DemoRide.type, of: DemoRide.phone)
        let ride = DemoRide(distance: 0, until: self.clock.time(25))
        try await self.rideCalls.start([
            "id": .string(DemoRide.id), "devices": [.string(DemoRide.phone)],
            "attributesType": .string(DemoRide.type), "attributes": [:], "contentState": ride.state,
            "alert": ["title": "Have a good ride", "body": "Bring it back within 45 minutes"],
            "instants": ["returnBy": .string(self.clock.time(45).ISO8601Format())],
        ])
        self.narrator.tellRide(app: DemoRide.app, at: self.clock.start)
        let start = DemoDeliveryCheck.Push(device: self.rider, event: "start", state: ride.state, hasAlert: true)
        try await self.see(.rideBegins(ride), start)
        try await control.allowActivities(of: DemoRide.app, on: self.rider)
        let rider = self.rider
        var token: String?
        try await self.wait(for: "the update token of the ride") {
            token = try await control.activities(on: rider).first?.token
            return token != nil
        }
        try await self.rideCalls.tell(token: token ?? "", of: DemoRide.phone)
        self.narrator.tellAllowance()
        let reminder = try await self.rideCalls.plan(
            "reminder",
            [
                "instant": "returnBy", "offsetSeconds": -300,
                "alert": ["title": "5 minutes left", "body": "Find a station for your bicycle"],
            ]
        )
        self.narrator.tellPlan(reminder)
    }

    private mutating func updateRide(at minute: Int?, _ ride: DemoRide) async throws {
        try await self.rideCalls.change(["contentState": ride.state])
        let push = DemoDeliveryCheck.Push(device: self.rider, event: "update", state: ride.state)
        try await self.see(.rideGoesOn(ride), push, at: minute)
    }

    private mutating func endRide(at minute: Int, _ ride: DemoRide) async throws {
        try await self.pass(to: minute)
        try await self.rideCalls.change(["contentState": ride.state, "end": ["afterSeconds": 120]])
        let push = DemoDeliveryCheck.Push(device: self.rider, event: "end", state: ride.state)
        try await self.see(.rideIsOver(ride), push, at: minute)
    }

    // MARK: Content on devices

    /// Waits until a device has received a push, and prints it.
    private mutating func see(
        _ scene: DemoStep,
        _ push: DemoDeliveryCheck.Push,
        at minute: Int? = nil
    ) async throws {
        self.arrivals.expect(scene.title, isPlanned: scene.isPlanned, push)
        let control = self.stage.control
        var arrived: SimulatorClient.Arrival?
        try await self.wait(for: scene.title) {
            arrived = try await control.arrivals(at: [push.device]).first { DemoDeliveryCheck.Push($0) == push }
            return arrived != nil
        }
        guard let arrived else { return }
        let entries = try await control.activities(on: push.device).flatMap(\.timeline)
        for entry in entries where entry.apnsID == arrived.apnsID && entry.change == "ignored" {
            self.faults.append("\(scene.phone) ignored \(scene.title): \(entry.cause ?? "no cause")")
        }
        self.narrator.tell(scene, apnsID: arrived.apnsID, at: minute.map(self.clock.time))
    }

    /// Asks again and again, for as long as one may have to wait.
    private mutating func wait(for what: String, _ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while try await !condition() {
            guard ContinuousClock.now < deadline else {
                self.faults.append("\(what): not received within \(Self.patience.components.seconds) s")
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Advances the clock when nothing is in flight: a batch that is sent for 15 minutes would count as failed.
    private mutating func pass(to minute: Int) async throws {
        for calls in [self.lessonCalls, self.rideCalls] {
            try await self.wait(for: "the outcomes of \(calls.id)") { try await calls.isSettled() }
        }
        try await self.clock.move(to: minute)
        // A device ignores updates whose timestamp is minutes old.
        let (calls, token, time) = (self.lessonCalls, self.parentToken, self.clock.time(minute))
        try await self.wait(for: "the server's clock") {
            try await calls.register(DemoLesson.phone, token: token) ?? .distantPast >= time
        }
    }

    private mutating func judge(_ report: inout DemoReport) async throws {
        let control = self.stage.control
        let phones = [(DemoLesson.phone, self.parent), (DemoRide.phone, self.rider)]
        for (phone, device) in phones {
            // The five minutes begin when the scheduler ends the lesson, which is later on a busy machine.
            try await self.wait(for: "the empty screen of \(phone)") {
                try await control.activities(on: device).allSatisfy { $0.state == "dismissed" }
            }
            report.activities += try await control.activities(on: device).count
        }
        self.narrator.tellEmptyScreens(at: self.clock.time(55))
        let verdict = self.arrivals.verdict(on: try await control.arrivals(at: phones.map(\.1)))
        report.add(verdict, faults: self.faults)
    }

    // MARK: After the scenario

    /// Starts another lesson, which continues.
    ///
    /// - Returns: the device that shows it, and the requests for it.
    func encore() async throws -> (device: String, calls: DemoActivityCalls) {
        let now = try await self.stage.control.now().timeIntervalSince1970.rounded(.down)
        let lesson = DemoLesson(id: "lesson-43", endsAt: Date(timeIntervalSince1970: now + 45 * 60))
        let calls = self.lessonCalls.another(lesson.id)
        try await self.startLesson(lesson, calls)
        _ = try await self.planLesson(calls)
        return (self.parent, calls)
    }
}

/// The simulated time of the demo, which the simulator, the server and the scheduler use.
struct DemoClock: Sendable {
    let control: SimulatorClient

    /// When the second act begins, in whole seconds.
    let start: Date

    init(_ control: SimulatorClient) async throws {
        self.control = control
        self.start = Date(timeIntervalSince1970: try await control.now().timeIntervalSince1970.rounded(.down))
    }

    /// Returns the time a number of minutes after the beginning.
    func time(_ minutes: Int) -> Date { self.start.addingTimeInterval(Double(minutes) * 60) }

    /// Advances the time to a number of minutes after the beginning.
    func move(to minutes: Int) async throws {
        let rest = self.time(minutes).timeIntervalSince(try await self.control.now())
        if rest > 0 { try await self.control.advance(by: rest) }
    }

    /// Returns the local time as text.
    static func text(_ time: Date) -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute], from: time)
        func digits(_ number: Int?) -> String { String("0\(number ?? 0)".suffix(2)) }
        return "\(digits(parts.hour)):\(digits(parts.minute))"
    }
}
