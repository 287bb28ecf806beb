// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

/// Keeps an activity, and starts it by a push.
struct ActivityStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a Live Activity on phones by a push, or keep one that the app starts.",
        discussion: """
            apus activity start com.example.app lesson-42 --type LessonAttributes --device phone-1 \\
              --attributes '{"childId":"7"}' --state '{"status":"active"}' --title Lesson --body "It begins"
            apus activity start com.example.app lesson-42 --type LessonAttributes --user anna --attributes @child.json \\
              --state @state.json --title Lesson --body "It begins" --instant endsAt=2036-03-20T09:00:00Z
            apus activity start com.example.app final --type MatchAttributes --topic football --throttle 2000 \\
              --attributes @match.json --state @state.json --title Final --body "Kick-off"
            apus activity start com.example.app lesson-42 --file activity.json
            A file holds the whole request as the API takes it, without the name; the flags are for what is simple.
            Without --device, --user, --topic and --audience the app starts it by itself. What is started for a topic or an
            audience goes on behind this: see apus activity watch.
            """
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "A file with the activity as JSON; - is standard input. Then no flag says what it is.")
    var file: String?

    @Option(help: "The name of the app's ActivityAttributes type.")
    var type: String?

    @Option(help: "An installation, by the name that the app gave it; may be given several times.")
    var device: [String] = []

    @Option(help: "A user, all of whose devices are meant; may be given several times.")
    var user: [String] = []

    @Option(help: "All devices that are subscribed to this topic.")
    var topic: String?

    @Option(help: "All devices for which this holds, \(JSONObjectInput.form).")
    var audience: String?

    @Option(help: "Maximum number of devices of the topic or the audience per second, on average over 10 seconds.")
    var throttle: Int?

    @Option(help: "What never changes about it, \(JSONObjectInput.form).")
    var attributes: String?

    @Option(help: "The content state, \(JSONObjectInput.form).")
    var state: String?

    @OptionGroup(title: "Alert") var alert: ActivityAlertArguments
    @OptionGroup(title: "How it is shown") var presentation: ActivityPresentationArguments
    @Flag(help: "Start nothing, and tell on how many phones it would be.")
    var dryRun = false

    @OptionGroup var call: ActivityCallArguments

    func validate() throws {
        guard self.file == nil else {
            let isEmpty =
                self.type == nil && self.device.isEmpty && self.user.isEmpty && self.attributes == nil
                && self.state == nil && self.alert.isEmpty && self.presentation.isEmpty && !self.isRolledOut
                && self.throttle == nil
            guard isEmpty else { throw ValidationError("Give either --file, or flags that say what it is.") }
            return
        }
        guard self.type != nil else { throw ValidationError("Give --file, or --type and what belongs to it.") }
        guard self.device.isEmpty || self.user.isEmpty else {
            throw ValidationError("Give either --device or --user.")
        }
        guard self.topic == nil || self.audience == nil else {
            throw ValidationError("Give either --topic or --audience.")
        }
        guard self.throttle == nil || self.isRolledOut else {
            throw ValidationError("--throttle belongs to --topic or --audience.")
        }
        guard !self.isRolledOut || !self.call.wait else {
            throw ValidationError("--wait does not wait for a topic or an audience; use apus activity watch.")
        }
        let isStartedByPush = !self.device.isEmpty || !self.user.isEmpty || self.isRolledOut
        let isStartable = self.attributes != nil && self.state != nil && self.alert.title != nil
        guard !isStartedByPush || isStartable else {
            throw ValidationError("A push starts an activity only with --attributes, --state, --title and --body.")
        }
        guard [self.attributes, self.state, self.audience].count(where: JSONObjectInput.readsStandardInput) <= 1 else {
            throw ValidationError("Standard input is one of --attributes, --state and --audience.")
        }
    }

    /// Whether it is started on the devices of a topic or an audience.
    private var isRolledOut: Bool { self.topic != nil || self.audience != nil }

    func run() async throws {
        let path = self.dryRun ? "\(self.activity.list)?dryRun=true" : self.activity.list
        try await self.call.make(.post, path, body: try self.request())
    }

    private func request() throws -> Data {
        var request = JSONWriter()
        request.beginObject()
        request.member("id", self.activity.activity)
        if let file {
            let members = try JSONObjectInput.fragment("@\(file)", of: "--file")
            return Data(request.bytes) + members.continuation
        }
        request.member("attributesType", self.type)
        request.member("attributes", try self.attributes.map { try JSONObjectInput.fragment($0, of: "--attributes") })
        request.member("contentState", try self.state.map { try JSONObjectInput.fragment($0, of: "--state") })
        request.member("devices", self.device)
        request.member("users", self.user)
        request.member("topic", self.topic)
        request.member("audience", try self.audience.map { try JSONObjectInput.fragment($0, of: "--audience") })
        if let throttle {
            request.key("throttle")
            request.integer(throttle)
        }
        self.alert.write(to: &request)
        try self.presentation.write(to: &request)
        request.endObject()
        return Data(request.bytes)
    }
}

extension JSONWriter {
    /// Adds a member with texts; nothing where there are none.
    fileprivate mutating func member(_ name: String, _ texts: [String]) {
        guard !texts.isEmpty else { return }
        self.key(name)
        self.beginArray()
        for text in texts { self.string(text) }
        self.endArray()
    }
}

extension JSONFragment {
    /// The object's members and its end, to stand behind members that were written before.
    fileprivate var continuation: [UInt8] {
        let inner = self.bytes.drop { $0 != UInt8(ascii: "{") }.dropFirst()
        let isEmpty = inner.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "}")
        return (isEmpty ? [] : [UInt8(ascii: ",")]) + inner
    }
}
