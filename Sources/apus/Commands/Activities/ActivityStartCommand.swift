// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

/// Creates an activity, and starts it with a push.
struct ActivityStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a Live Activity on devices with a push, or create one that the app starts.",
        discussion: """
            apus activity start com.example.app lesson-42 --type LessonAttributes --device phone-1 \\
              --attributes '{"childId":"7"}' --state '{"status":"active"}' --title Lesson --body "It begins"
            apus activity start com.example.app lesson-42 --type LessonAttributes --user anna --attributes @child.json \\
              --state @state.json --title Lesson --body "It begins" --instant endsAt=2036-03-20T09:00:00Z
            apus activity start com.example.app final --type MatchAttributes --topic football --rate 2000 \\
              --attributes @match.json --state @state.json --title Final --body "Kick-off"
            apus activity start com.example.app lesson-42 --file activity.json
            A file has the complete request of the API without `id`. The options cover simple requests.
            Without --device, --user, --topic and --audience, the app starts the activity. A start on a topic or an
            audience continues after the command: see apus activity watch.
            """
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "File with the activity as JSON; - is standard input. Excludes all other content options.")
    var file: String?

    @Option(help: "Name of the app's ActivityAttributes type.")
    var type: String?

    @Option(help: "Device ID. Repeatable.")
    var device: [String] = []

    @Option(help: "User: starts it on all devices of the user. Repeatable.")
    var user: [String] = []

    @Option(help: "Topic: starts it on all subscribed devices.")
    var topic: String?

    @Option(help: "Audience expression: starts it on all matching devices, \(JSONArgument.form).")
    var audience: String?

    @Option(help: "Maximum number of devices of the topic or the audience per second. Default: no limit.")
    var rate: Int?

    @Option(help: "Attributes of the activity, \(JSONArgument.form).")
    var attributes: String?

    @Option(help: "Content state, \(JSONArgument.form).")
    var state: String?

    @OptionGroup(title: "Alert") var alert: ActivityAlertArguments
    @OptionGroup(title: "How it is shown") var presentation: ActivityPresentationArguments
    @Flag(help: "Start nothing; report the number of devices that would be started.")
    var dryRun = false

    @OptionGroup var call: ActivityCallArguments

    func validate() throws {
        guard self.file == nil else {
            let isEmpty =
                self.type == nil && self.device.isEmpty && self.user.isEmpty && self.attributes == nil
                && self.state == nil && self.alert.isEmpty && self.presentation.isEmpty && !self.isRolledOut
                && self.rate == nil
            guard isEmpty else { throw ValidationError("Give either --file, or content options such as --type.") }
            return
        }
        guard self.type != nil else { throw ValidationError("Give --file, or --type and its other options.") }
        guard self.device.isEmpty || self.user.isEmpty else {
            throw ValidationError("Give either --device or --user.")
        }
        guard self.topic == nil || self.audience == nil else {
            throw ValidationError("Give either --topic or --audience.")
        }
        guard self.rate == nil || self.isRolledOut else {
            throw ValidationError("--rate belongs to --topic or --audience.")
        }
        guard !self.isRolledOut || !self.call.wait else {
            throw ValidationError("--wait does not wait for a topic or an audience; use apus activity watch.")
        }
        let isStartedByPush = !self.device.isEmpty || !self.user.isEmpty || self.isRolledOut
        let isStartable = self.attributes != nil && self.state != nil && self.alert.title != nil
        guard !isStartedByPush || isStartable else {
            throw ValidationError("A push starts an activity only with --attributes, --state, --title and --body.")
        }
        guard [self.attributes, self.state, self.audience].count(where: JSONArgument.readsStandardInput) <= 1 else {
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
            let members = try JSONArgument.fragment("@\(file)", of: "--file")
            return Data(request.bytes) + members.continuation
        }
        request.member("attributesType", self.type)
        request.member("attributes", try self.attributes.map { try JSONArgument.fragment($0, of: "--attributes") })
        request.member("contentState", try self.state.map { try JSONArgument.fragment($0, of: "--state") })
        request.member("devices", self.device)
        request.member("users", self.user)
        request.member("topic", self.topic)
        request.member("audience", try self.audience.map { try JSONArgument.fragment($0, of: "--audience") })
        if let rate {
            request.key("ratePerSecond")
            request.integer(rate)
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

extension RawJSONObject {
    /// The object's members and its end, to be appended to members that were written before.
    fileprivate var continuation: [UInt8] {
        let inner = self.bytes.drop { $0 != UInt8(ascii: "{") }.dropFirst()
        let isEmpty = inner.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "}")
        return (isEmpty ? [] : [UInt8(ascii: ",")]) + inner
    }
}
