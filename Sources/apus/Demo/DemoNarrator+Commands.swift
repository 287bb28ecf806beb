// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What to try next.
extension DemoNarrator {
    /// Commands to copy, with the addresses of this very run.
    func tellHowToGoOn(
        _ stage: ServerStage,
        phone: DemoPhone,
        lesson: (device: String, calls: DemoActivityCalls),
        scheduler: Int32,
        keepsDirectory: Bool
    ) {
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

    private func tellSending(_ phone: DemoPhone) {
        let apus = OwnExecutable.typed
        let app = DemoNotification.app
        let body = """
            {"targets":{"devices":["\(phone.installation)"]},"notification":{"title":"Hello","body":"from curl"}}
            """
        self.say("")
        self.say("    Send a notification, and look at what arrives:")
        self.command(
            "\(apus) send \(app) --device \(phone.installation) --title Hello --body \"from the terminal\" --wait"
        )
        self.command("\(apus) devices list \(app)")
        self.command(
            "curl -s \"$APUS_URL/v1/apps/\(app)/notifications?wait=true\" -H \"$auth\" -H \"$json\" -d '\(body)'"
        )
        self.command("curl -s $simulator/v1/devices/\(phone.device)", "what the device holds")
        self.command("curl -sN $simulator/v1/deliveries", "every arrival, live")
    }

    private func tellLesson(
        _ stage: ServerStage,
        _ calls: DemoActivityCalls,
        device: String,
        scheduler: Int32
    ) {
        let url = "$APUS_URL\(calls.path)"
        let screen = "curl -s $simulator/v1/devices/\(device)/activities"
        self.say("")
        self.say("    Another lesson, \(calls.id), has begun on \(DemoLesson.phone). Change it, and let the time pass:")
        let patch = "{\"patch\":{\"scheduleTitle\":\"Geometry\"}}"
        self.command("curl -s -X PATCH \(url) -H \"$auth\" -H \"$json\" -d '\(patch)'")
        self.command(screen, "what the Lock Screen shows")
        self.command("curl -s $simulator/v1/clock:advance -d '{\"seconds\":1800}'", "half an hour: 15 minutes are left")
        self.command("curl -s \(url)/timeline -H \"$auth\"", "what has happened, and what came of it")
        self.say("")
        self.say("    The scheduler may die at any time; the next one does what is due:")
        self.command("kill -9 \(scheduler)")
        self.command("curl -s $simulator/v1/clock:advance -d '{\"seconds\":900}'", "the lesson's end, and nobody sees")
        let data = ServerStage.data(in: stage.directory)
        self.command("\(OwnExecutable.typed) schedule --data \(data) --clock-simulator \(stage.controlURL)")
    }
}
