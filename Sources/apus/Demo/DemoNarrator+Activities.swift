// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The second act: Live Activities.
extension DemoNarrator {
    func introduceActivities(scheduler: Int32, now: Date) {
        self.say("")
        self.say(self.style.bold("  Live Activities") + "   changed by the backend, planned ahead, carried out on time")
        self.say("")
        self.step("Scheduler", "process \(scheduler)", "carries out what is planned; it never talks to APNs")
        self.step("Clock", DemoClock.text(now), "of the simulator; server and scheduler go by it, and it is moved now")
    }

    func tellLesson(_ lesson: DemoLesson, path: String, at time: Date) {
        self.moment(time, "A lesson begins. The app starts a Live Activity, and tells its token with a client key.")
        self.note("PUT \(path)/tokens/\(DemoLesson.phone)")
        self.screen(DemoLesson.phone, lesson.shown("active"))
    }

    func tellPlan(_ transitions: [DemoActivityCalls.Transition], lesson: DemoLesson) {
        let remarks = [
            "ending": "a quarter of an hour before endsAt", "over": "at endsAt; off the Lock Screen 5 minutes later",
        ]
        for transition in transitions { self.plan(transition, remarks[transition.id] ?? "") }
    }

    func tellProlonging(_ lesson: DemoLesson, at time: Date) {
        let end = DemoClock.text(lesson.endsAt)
        self.moment(time, "The lesson takes 5 minutes longer. endsAt is \(end), and what is relative to it moves:")
    }

    func tellRide(app: String, at time: Date) {
        self.moment(time, "A ride begins at a station. The server starts the Live Activity on the phone.")
        self.note("POST /v1/apps/\(app)/activities")
    }

    func tellAllowance() {
        self.note("the rider allows it; the app tells the update token that has come")
    }

    func tellPlan(_ reminder: DemoActivityCalls.Transition) {
        self.plan(reminder, "an alert, 5 minutes before returnBy")
    }

    func tellKill(_ process: Int32, at time: Date) {
        self.moment(
            time,
            self.style.red("The scheduler, process \(process), is killed (SIGKILL).")
                + " The API and the sender go on:"
        )
    }

    func tellNobody(at time: Date) {
        self.moment(time, "The reminder is due, and there is nobody to carry it out.")
    }

    func tellRestart(_ process: Int32, at time: Date) {
        self.moment(time, "A new scheduler, " + self.style.green("process \(process)") + ", finds what is due:")
    }

    func tellEmptyScreens(at time: Date) {
        self.moment(time, "Both activities are off the Lock Screens.")
    }

    /// What a phone shows since a push has come.
    func tell(_ scene: DemoScene, apnsID: String, at time: Date?) {
        if let time, let opening = scene.opening { self.moment(time, opening) }
        self.screen(scene.phone, scene.shown)
        self.note("apns-id \(apnsID)")
    }

    private func plan(_ transition: DemoActivityCalls.Transition, _ remark: String) {
        let due = transition.due.map(DemoClock.text) ?? "-"
        let name = Self.padded("\(transition.id), \(due)", 16)
        self.say("           \(Self.padded("planned", 14)) \(name) \(self.style.dim(remark))")
    }

    private func moment(_ time: Date, _ text: String) {
        self.say("")
        self.say("  \(self.style.bold(DemoClock.text(time)))    \(text)")
    }

    private func screen(_ phone: String, _ text: String) {
        self.say("           \(self.style.bold(Self.padded(phone, 14))) \(self.style.green(text))")
    }

    private func note(_ text: String) {
        self.say("           \(Self.padded("", 14)) \(self.style.dim(text))")
    }
}
