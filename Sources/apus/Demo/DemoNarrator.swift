// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator

/// Tells the demo to whoever watches.
struct DemoNarrator: Sendable {
    let style: Style

    func introduce(_ stage: ServerStage) {
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

    func tellPhones(_ phones: [DemoPhone]) {
        for phone in phones {
            self.step("Device", phone.installation, "registered with token \(phone.token.prefix(8))...")
        }
    }

    func tellPush(_ title: String, path: String, milliseconds: Double, _ answer: NotificationAnswer) {
        self.say("")
        self.say("  \(self.style.bold(title))  " + self.style.dim("POST \(path)"))
        let result =
            "\(answer.counts.delivered) of \(answer.targetCount) accepted by APNs, \(milliseconds) ms from call to answer"
        self.say("  \(result)")
    }

    /// What a device shows; the app's own part of the payload only the first time, since it is the same each time.
    func tellArrival(
        _ phone: DemoPhone,
        _ outcome: NotificationAnswer.Outcome?,
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

    func tellUninstall(_ phone: DemoPhone) {
        self.say("")
        self.say(
            "  \(self.style.yellow("The app is deleted from \(phone.installation).")) The server does not know yet."
        )
    }

    func tellStatus(_ device: DeviceAnswer) {
        if device.status.state == "invalid" {
            self.say("")
            self.say(
                "  The server took the 410 to heart: "
                    + self.style.yellow("\(device.installation) is \(device.status.summary)")
            )
            self.say("  since \(device.status.since ?? "-"); the next push leaves it out.")
        }
    }

    func conclude(_ report: DemoReport) {
        self.say("")
        let verdict =
            "\(report.delivered) of \(report.expected) notifications on the devices, "
            + "\(report.pruned) of \(report.expectedPruned) dead tokens marked, "
            + "\(report.transitionsSeen) of \(report.transitionsExpected) planned changes of \(report.activities) Live "
            + "Activities seen, \(report.duplicates) twice, \(report.seconds) s"
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
