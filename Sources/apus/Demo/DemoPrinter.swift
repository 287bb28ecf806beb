// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation

/// Prints the steps of the demo.
struct DemoPrinter: Sendable {
    let style: TerminalStyle

    func introduce(_ stage: LocalTestEnvironment) {
        let simulator = stage.simulator
        self.say("")
        self.say(self.style.bold("  Apus") + "   a push server, a few devices, and Apple's side played by a simulator")
        self.say("")
        self.step(
            "Simulator",
            "process \(stage.simulatorProcess.processID)",
            "plays APNs sandbox at https://localhost:\(simulator.port), HTTP/2 over TLS"
        )
        self.step("Server", "process \(stage.serverProcess.processID)", "API at \(stage.server.url), store in SQLite")
    }

    func tellApp(_ simulator: SimulatorEndpoints) {
        self.step("App", DemoNotification.app, "with provider key \(simulator.keyID) of team \(simulator.teamID)")
    }

    func tellPhones(_ phones: [DemoDevice]) {
        for phone in phones {
            self.step("Device", phone.installation, "registered with token \(phone.token.prefix(8))...")
        }
    }

    func tellPush(_ title: String, path: String, milliseconds: Double, _ answer: NotificationResponse) {
        self.say("")
        self.say("  \(self.style.bold(title))  " + self.style.dim("POST \(path)"))
        let result =
            "\(answer.counts.delivered) of \(answer.targetCount) accepted by APNs, \(milliseconds) ms from request to "
            + "response"
        self.say("  \(result)")
    }

    /// Prints the notification on a device; the custom part of the payload only the first time, because it never
    /// changes.
    func tellArrival(
        _ phone: DemoDevice,
        _ outcome: NotificationResponse.Outcome?,
        _ arrived: SimulatorClient.Received?,
        inFull: Bool
    ) {
        let name = self.style.bold(Self.padded(phone.installation, 14))
        let status = outcome.flatMap(\.status).map(String.init) ?? (outcome?.state == "delivered" ? "200" : "-")
        if inFull { self.say("") }
        guard let arrived else {
            let reason = outcome?.reason ?? outcome?.code ?? outcome?.state ?? "no outcome"
            return self.say("    \(name) \(self.style.red("\(status) \(reason)")), nothing arrived")
        }
        let payload = arrived.payload
        self.say("    \(name) \(self.style.green(status))  \(self.style.bold(payload.aps.alert?.title ?? "-"))")
        guard inFull else { return }
        let margin = String(repeating: " ", count: 24)
        self.say("\(margin)\(payload.aps.alert?.body ?? "-")")
        let badge = payload.aps.badge.map(String.init) ?? "-"
        self.say(
            self.style.dim(
                "\(margin)sound \(payload.aps.sound ?? "-"), badge \(badge), action \(payload.action ?? "-")"
            )
        )
        self.say(self.style.dim("\(margin)device_id \(payload.deviceID ?? "-"), date \(payload.date ?? "-")"))
        self.say(self.style.dim("\(margin)apns-id   \(arrived.apnsID)"))
    }

    func tellUninstall(_ phone: DemoDevice) {
        self.say("")
        self.say(
            "  \(self.style.yellow("The app is deleted from \(phone.installation).")) The server does not know yet."
        )
    }

    func tellStatus(_ device: DeviceResponse) {
        if device.status.state == "invalid" {
            self.say("")
            self.say(
                "  The server took the 410 to heart: "
                    + self.style.yellow("\(device.device) is \(device.status.summary)")
            )
            self.say("  since \(device.status.since ?? "-"); the next push leaves it out.")
        }
    }

    func conclude(_ report: DemoReport) {
        self.say("")
        let verdict =
            "\(report.delivered) of \(report.expected) notifications on the devices, "
            + "\(report.pruned) of \(report.expectedPruned) unregistered tokens invalidated, "
            + "\(report.transitionsSeen) of \(report.transitionsExpected) transitions of \(report.activities) Live "
            + "Activities executed, \(report.duplicates) twice, \(report.seconds) s"
        self.say(
            "  " + (report.isGood ? self.style.green("All is well: ") : self.style.red("Something is wrong: "))
                + verdict
        )
        for fault in report.faults { self.say("    \(self.style.red(fault))") }
    }

    func step(_ what: String, _ name: String, _ detail: String) {
        let line =
            "\(self.style.green("+")) \(Self.padded(what, 10)) \(Self.padded(name, 20)) \(self.style.dim(detail))"
        self.say("  \(line)")
    }

    func command(_ line: String, _ remark: String? = nil) {
        self.say("    \(self.style.cyan(line))" + (remark.map { self.style.dim("   # \($0)") } ?? ""))
    }

    func say(_ line: String) {
        Console.out(line)
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// The second act: Live Activities.
extension DemoPrinter {
    func introduceActivities(scheduler: Int32, now: Date) {
        self.say("")
        self.say(self.style.bold("  Live Activities") + "   changed by the backend, planned ahead, carried out on time")
        self.say("")
        self.step("Scheduler", "process \(scheduler)", "executes the transitions; it never connects to APNs")
        self.step("Clock", DemoClock.text(now), "of the simulator; server and scheduler go by it, and it is moved now")
    }

    func tellLesson(_ lesson: DemoLesson, path: String, at time: Date) {
        self.moment(time, "A lesson begins. The app starts a Live Activity, and registers its token with a client key.")
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
        self.moment(
            time,
            "The lesson takes 5 minutes longer. endsAt is \(end), and the transitions relative to it "
                + "move:"
        )
    }

    func tellRide(app: String, at time: Date) {
        self.moment(time, "A ride begins at a station. The server starts the Live Activity on the device.")
        self.note("POST /v1/apps/\(app)/activities")
    }

    func tellAllowance() {
        self.note("the rider allows it; the app registers its update token")
    }

    func tellPlan(_ reminder: DemoActivityCalls.Transition) {
        self.plan(reminder, "an alert, 5 minutes before returnBy")
    }

    func tellKill(_ process: Int32, at time: Date) {
        self.moment(
            time,
            self.style.red("The scheduler, process \(process), is killed (SIGKILL).")
                + " The API and the sender continue:"
        )
    }

    func tellNobody(at time: Date) {
        self.moment(time, "The reminder is due, but no scheduler is running.")
    }

    func tellRestart(_ process: Int32, at time: Date) {
        self.moment(time, "A new scheduler, " + self.style.green("process \(process)") + ", finds what is due:")
    }

    func tellEmptyScreens(at time: Date) {
        self.moment(time, "Both activities are off the Lock Screens.")
    }

    /// Prints the state on a device after a push.
    func tell(_ scene: DemoStep, apnsID: String, at time: Date?) {
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

/// The commands to try next.
extension DemoPrinter {
    /// Commands to copy, with the addresses of this very run.
    func tellHowToGoOn(
        _ stage: LocalTestEnvironment,
        phone: DemoDevice,
        lesson: (device: String, calls: DemoActivityCalls),
        scheduler: Int32,
        keepsDirectory: Bool
    ) {
        self.say("")
        self.say("  The phones of this run in a browser: \(self.style.bold("\(stage.controlURL)"))")
        let console = self.style.bold("\(stage.server.url)/console")
        self.say("  The console of the server; sign in with the API key below: \(console)")
        self.say("")
        self.say("  \(self.style.bold("Go on by hand")), in another terminal:")
        self.say("")
        self.command("export APUS_URL=\(stage.server.url) APUS_API_KEY=\(stage.key)")
        self.command("auth=\"Authorization: Bearer $APUS_API_KEY\" json=\"Content-Type: application/json\"")
        self.command("simulator=\(stage.controlURL)")
        self.tellSending(phone)
        self.tellLesson(stage, lesson.calls, device: lesson.device, scheduler: scheduler)
        self.say("")
        self.say("  Logs and store: \(stage.directory)")
        let end = keepsDirectory ? "keeps" : "removes"
        self.say("  \(self.style.bold("Ctrl-C")) stops all processes and \(end) that directory.")
        self.say("")
    }

    private func tellSending(_ phone: DemoDevice) {
        let apus = CurrentExecutable.typed
        let app = DemoNotification.app
        let body = """
            {"targets":{"devices":["\(phone.installation)"]},"notification":{"title":"Hello","body":"from curl"}}
            """
        self.say("")
        self.say("    Send a notification, and read the deliveries:")
        self.command(
            "\(apus) send \(app) --device \(phone.installation) --title Hello --body \"from the terminal\" --wait"
        )
        self.command("\(apus) devices list \(app)")
        self.command(
            "curl -s \"$APUS_URL/v1/apps/\(app)/notifications?wait=true\" -H \"$auth\" -H \"$json\" -d '\(body)'"
        )
        self.command("curl -s $simulator/v1/devices/\(phone.device)", "the notifications on the device")
        self.command("curl -sN $simulator/v1/deliveries", "every arrival, live")
    }

    private func tellLesson(
        _ stage: LocalTestEnvironment,
        _ calls: DemoActivityCalls,
        device: String,
        scheduler: Int32
    ) {
        let url = "$APUS_URL\(calls.path)"
        let screen = "curl -s $simulator/v1/devices/\(device)/activities"
        self.say("")
        self.say("    Another lesson, \(calls.id), runs on \(DemoLesson.phone). Change it, and advance the clock:")
        let patch = "{\"patch\":{\"scheduleTitle\":\"Geometry\"}}"
        self.command("curl -s -X PATCH \(url) -H \"$auth\" -H \"$json\" -d '\(patch)'")
        self.command(screen, "the Lock Screen")
        let advance = "curl -s $simulator/v1/clock:advance -H \"$json\" -d"
        self.command("\(advance) '{\"seconds\":1800}'", "half an hour: 15 minutes are left")
        self.command("curl -s \(url)/timeline -H \"$auth\"", "the timeline, with outcomes")
        self.say("")
        self.say("    Kill the scheduler at any time; the next one executes what is due:")
        self.command("kill -9 \(scheduler)")
        self.command("\(advance) '{\"seconds\":900}'", "the end of the lesson, while no scheduler runs")
        let data = LocalTestEnvironment.data(in: stage.directory)
        self.command("\(CurrentExecutable.typed) schedule --data \(data) --clock-simulator \(stage.controlURL)")
    }
}
