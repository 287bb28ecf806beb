// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Maintains the registration of this device, and uploads it when it changes.
///
/// It uploads nothing before the system provides a device token in this launch. Then it uploads at every launch.
actor RegistrationManager {
    /// An event that can change the registration.
    enum Event: Sendable {
        case token(String)
        case tokenFailed(String)
        case user(String?)
        case tag(String, String?)
        case topic(String, isWanted: Bool)
        case permission(String)
        /// The locale or the time zone changed.
        case surroundings
        case unregister
        /// The network became available.
        case retry
        /// The user opened the app.
        case opened
        case upload(ActivityUpload)
        /// The server has assigned the device ID of a path to another installation.
        case foreignDevice(path: String)
        case ending(ActivityEndReport)
    }

    private let configuration: ApusConfiguration
    private let queue: UploadQueue
    private let file: URL
    private var installation = Installation()
    /// Whether the state of earlier launches was read; until then, the latest 1000 events are deferred.
    private var isLoaded = false
    private var deferred: [Event] = []
    /// Whether the latest state is on disk; only the first of several failures is logged.
    private var isStored = true
    private var token: String?
    private var told: DeviceRegistration?
    /// The valid ActivityKit tokens by slot, to repeat when an unregistered device registers again.
    private var activityTokens: [String: ActivityUpload] = [:]

    init(_ configuration: ApusConfiguration, queue: UploadQueue) {
        self.configuration = configuration
        self.queue = queue
        self.file = configuration.directory.appendingPathComponent("installation.json")
    }

    /// The device ID.
    var id: String { self.installation.id }

    /// Reads the state of earlier launches, and creates a device ID at the first launch.
    ///
    /// Before the first unlock after a restart, files are unreadable for an app that a push launches. A new device ID
    /// would then be another device on the server. If `isUnlocked` is true, an unreadable file has another cause and is
    /// replaced.
    func load(isUnlocked: Bool = false) {
        do {
            self.installation = try self.file.decoded() ?? self.installation
            self.isLoaded = true
        } catch {
            self.isLoaded = isUnlocked || error is DecodingError
            guard self.isLoaded else { return }
            self.log(.warning, "the installation on disk is corrupt; creating a new one")
        }
        self.store()
    }

    /// Handles an event, or defers it until the stored state is readable.
    func take(_ event: Event) async {
        var events = [event]
        if !self.isLoaded {
            var isUnlocked = false
            if case .opened = event { isUnlocked = true }
            self.load(isUnlocked: isUnlocked)
            events = self.deferred.suffix(999) + events
            self.deferred = self.isLoaded ? [] : events
        }
        guard self.isLoaded else {
            if events.count == 1 {
                self.log(.warning, "the phone was not unlocked since its start: what happens waits for that")
            }
            return
        }
        for event in events { await self.act(on: event) }
    }

    private func act(on event: Event) async {
        var isBack = false
        switch event {
        case .token(let token):
            self.token = token
            isBack = self.installation.isUnregistered
            self.installation.isUnregistered = false
            // Upload the registration for every token callback, so that the server knows that the app is still
            // installed.
            self.told = nil
            self.log(.info, "the system has given the token \(token.prefix(8))…")
        case .tokenFailed(let reason):
            self.log(.error, "the system gives no token: \(reason)")
        case .user(let user): self.installation.userID = user
        case .tag(let name, let value):
            guard self.installation.set(name, to: value) else {
                return self.leaveOut("the tag \(name)", Installation.maximumTags)
            }
        case .topic(let name, true):
            guard self.installation.subscribe(to: name) else {
                return self.leaveOut("the topic \(name)", Installation.maximumTopics)
            }
        case .topic(let name, false): self.installation.topics.remove(name)
        case .permission(let permission): self.installation.permission = permission
        case .surroundings: break
        case .unregister: return await self.unregister()
        case .retry: return await self.queue.retryNow()
        case .opened: await self.queue.retryNow(isUnlocked: true)
        case .upload(let token):
            let upload = token.upload(self.configuration, self.id)
            self.activityTokens[upload.slot] = token
            if !self.installation.isUnregistered { await self.queue.add(upload) }
            return
        case .foreignDevice(let path):
            // An earlier report of the same ID may have replaced it already.
            guard path == self.path else { return }
            self.installation.id = Installation().id
            (self.told, isBack) = (nil, true)
            self.log(.warning, "another installation has the device ID; registering under a new one")
        case .ending(let ending):
            let upload = ending.upload(self.configuration, self.id)
            self.activityTokens[upload.slot] = nil
            return await self.queue.add(upload)
        }
        self.store()
        await self.upload()
        // Add these uploads after the device registration, because the queue can send its first entry immediately.
        guard isBack else { return }
        for token in self.activityTokens.values { await self.queue.add(token.upload(self.configuration, self.id)) }
    }

    private func upload() async {
        guard let token, !self.installation.isUnregistered else { return }
        let registration = self.installation.registration(
            token: token,
            environment: self.configuration.environment,
            in: self.configuration.surroundings()
        )
        guard registration != self.told else { return }
        self.told = registration
        await self.queue.add(
            Upload(
                slot: Upload.device,
                method: "PUT",
                path: self.path,
                body: try? JSONEncoder.ofUploads.encode(registration)
            )
        )
    }

    private func unregister() async {
        (self.installation.isUnregistered, self.token, self.told) = (true, nil, nil)
        self.store()
        // Keep the pending reports of ended activities, but remove the pending token uploads.
        await self.queue.remove { $0.method == "PUT" }
        await self.queue.add(Upload(slot: Upload.device, method: "DELETE", path: self.path, body: nil))
    }

    private var path: String {
        "/v1/apps/\(Upload.segment(self.configuration.app))/devices/\(Upload.segment(self.installation.id))"
    }

    private func store() {
        do {
            try self.configuration.directory.makeOutOfBackups()
            try JSONEncoder().encode(self.installation).write(to: self.file, options: .ofApus)
            self.isStored = true
        } catch {
            if self.isStored { self.log(.error, "the installation cannot be written: \(error.kind)") }
            self.isStored = false
        }
    }

    private func leaveOut(_ what: String, _ maximum: Int) {
        self.log(.error, "\(what) is left out: there are \(maximum) already")
    }

    private func log(_ level: ApusLogEntry.Level, _ message: String) {
        self.configuration.log(ApusLogEntry(level: level, message: message))
    }
}

/// An ActivityKit token to upload.
struct ActivityUpload: Sendable {
    enum Subject: Sendable {
        /// The update token of an activity, by the name that identifies the activity on the server.
        case activity(String)
        /// The push-to-start token of an attributes type.
        case start(attributesType: String)
    }

    var subject: Subject
    var token: String
    var issuedAt: Date
    /// Additional members of the request body.
    var members: [String: PushValue] = [:]

    func upload(_ configuration: ApusConfiguration, _ installation: String) -> Upload {
        var body = self.members
        body["token"] = .string(self.token)
        body["environment"] = .string(configuration.environment.rawValue)
        body["issuedAt"] = .string(self.issuedAt.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        let app = "/v1/apps/\(Upload.segment(configuration.app))"
        let (slot, path): (String, String)
        switch self.subject {
        case .activity(let name):
            slot = Upload.activity(name)
            path = "\(app)/activities/\(Upload.segment(name))/tokens/\(Upload.segment(installation))"
        case .start(let type):
            slot = Upload.startToken(type)
            path = "\(app)/devices/\(Upload.segment(installation))/start-tokens/\(Upload.segment(type))"
        }
        return Upload(slot: slot, method: "PUT", path: path, body: try? JSONEncoder.ofUploads.encode(body))
    }
}

/// A report that an activity ended on this device.
struct ActivityEndReport: Sendable {
    enum Reason: String, Sendable { case ended, dismissed }

    /// The name that identifies the activity on the server.
    var name: String
    var reason: Reason
    var time: Date

    func upload(_ configuration: ApusConfiguration, _ installation: String) -> Upload {
        let activity = "/v1/apps/\(Upload.segment(configuration.app))/activities/\(Upload.segment(self.name))"
        let time = self.time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let query = "reason=\(self.reason.rawValue)&at=\(Upload.segment(time))"
        let path = "\(activity)/tokens/\(Upload.segment(installation))?\(query)"
        return Upload(slot: Upload.activity(self.name), method: "DELETE", path: path, body: nil)
    }
}

extension JSONEncoder {
    /// Encodes equal values to equal bytes.
    static var ofUploads: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
