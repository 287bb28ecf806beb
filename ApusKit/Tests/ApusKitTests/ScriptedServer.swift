// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import ApusKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that answers as a test says, and a clock that stands still until it is moved.
final class ScriptedServer: UploadTransport, @unchecked Sendable {
    struct Received: Equatable {
        var method: String
        var path: String
        var body: String
        var authorization: String
        var isOnMainThread: Bool
    }

    private struct State {
        var received: [Received] = []
        /// The installation secrets of all requests.
        var secrets: [String] = []
        var answers: [UploadResponse?] = []
        /// What is answered to all requests in whose path a text stands, for as long as it stands here.
        var rules: [String: UploadResponse] = [:]
        /// Whether the log or the clock was called on the main thread.
        var wasOnMainThread = false
        var now = ScriptedServer.start
        var sleepers: [Int: (until: Date, wake: CheckedContinuation<Void, Never>)] = [:]
        var nextSleeper = 0
        var log: [String] = []
        /// How often something has happened of what tests wait for.
        var events = 0
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let state = Locked(State())

    /// What it answers to the next requests, `nil` for a connection that breaks; after that 200.
    func answer(_ answers: [UploadResponse?]) { self.state.withLock { $0.answers = answers } }

    /// What it answers to all requests in whose path a text stands; `nil` for what it answers to others.
    func answer(_ answer: UploadResponse?, toPathsWith text: String) {
        self.state.withLock { $0.rules[text] = answer }
    }

    /// Whether anything of a request, of the log or of the clock was asked for on the main thread.
    var wasOnMainThread: Bool {
        self.state.withLock { state in state.wasOnMainThread || state.received.contains(where: \.isOnMainThread) }
    }

    private func look() {
        let isOnMainThread = pthread_self() == Self.mainThread
        self.state.withLock { $0.wasOnMainThread = $0.wasOnMainThread || isOnMainThread }
    }

    var received: [Received] { self.state.withLock { $0.received } }
    var secrets: [String] { self.state.withLock { $0.secrets } }
    var log: [String] { self.state.withLock { $0.log } }

    func send(_ request: URLRequest) async throws -> UploadResponse {
        defer { self.note() }
        let answer = self.state.withLock { state -> UploadResponse? in
            state.secrets.append(request.value(forHTTPHeaderField: "Apus-Installation-Secret") ?? "")
            state.received.append(
                Received(
                    method: request.httpMethod ?? "",
                    path: request.url?.path ?? "",
                    body: String(decoding: request.httpBody ?? Data(), as: UTF8.self),
                    authorization: request.value(forHTTPHeaderField: "Authorization") ?? "",
                    isOnMainThread: pthread_self() == Self.mainThread
                )
            )
            let path = request.url?.path ?? ""
            if let rule = state.rules.first(where: { path.contains($0.key) }) { return rule.value }
            return state.answers.isEmpty ? UploadResponse(status: 200) : state.answers.removeFirst()
        }
        guard let answer else { throw URLError(.notConnectedToInternet) }
        return answer
    }

    /// Which thread the main one is; until the next `await`, since here any thread may be it in turn.
    @MainActor static func noteMainThread() { self.mainThread = pthread_self() }
    nonisolated(unsafe) private static var mainThread = pthread_self()

    var clock: ApusClock {
        ApusClock(
            now: {
                self.look()
                return self.state.withLock { $0.now }
            },
            sleep: { seconds in
                let id = self.state.withLock { state in
                    state.nextSleeper += 1
                    return state.nextSleeper
                }
                await withTaskCancellationHandler {
                    await withCheckedContinuation { wake in
                        let isOver = self.state.withLock { state in
                            guard !Task.isCancelled else { return true }
                            state.sleepers[id] = (state.now.addingTimeInterval(seconds), wake)
                            return false
                        }
                        if isOver { wake.resume() }
                        self.note()
                    }
                } onCancel: {
                    self.state.withLock { $0.sleepers.removeValue(forKey: id) }?.wake.resume()
                }
                try Task.checkCancellation()
            }
        )
    }

    /// How many wait for the clock.
    var sleepers: Int { self.state.withLock { $0.sleepers.count } }

    /// For when they wait, in seconds since the beginning.
    var alarms: [TimeInterval] {
        self.state.withLock { $0.sleepers.values.map { $0.until.timeIntervalSince(Self.start) }.sorted() }
    }

    /// Moves the clock on, and wakes whose time has come.
    ///
    /// Who reads the clock before and begins to wait after it sleeps too long: where that may be, it is moved while one waits.
    func advance(by seconds: TimeInterval) {
        let due = self.state.withLock { state in
            state.now += seconds
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map { $0 }
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    func configuration(in directory: URL) -> ApusConfiguration {
        var configuration = ApusConfiguration(
            server: URL(fileURLWithPath: "/"),
            clientKey: "apus_key",
            app: "com.example.app"
        )
        if let url = URL(string: "https://push.example.com/base/") { configuration.server = url }
        configuration.directory = directory
        configuration.transport = self
        configuration.clock = self.clock
        configuration.notifications = NotificationCenter()
        configuration.log = { entry in
            self.look()
            self.state.withLock { $0.log.append(entry.description) }
            self.note()
        }
        return configuration
    }

    // MARK: Waiting

    /// Waits until something holds; it is looked at whenever a request has come, something was logged, or waits for the clock.
    func wait(
        _ what: String,
        isolation: isolated (any Actor)? = #isolation,
        until condition: () async -> Bool
    ) async throws {
        let end = Date().addingTimeInterval(60)
        let alarm = DispatchWorkItem { self.note() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: alarm)
        defer { alarm.cancel() }
        while true {
            let seen = self.state.withLock { $0.events }
            if await condition() { return }
            try #require(Date() < end, "not after a minute: \(what); log: \(self.log)")
            await withCheckedContinuation { (watcher: CheckedContinuation<Void, Never>) in
                let isNew = self.state.withLock { state in
                    if state.events == seen { state.watchers.append(watcher) }
                    return state.events != seen
                }
                if isNew { watcher.resume() }
            }
        }
    }

    /// Something has happened.
    private func note() {
        let watchers = self.state.withLock { state in
            state.events += 1
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.resume() }
    }
}

/// A directory for a test, removed after it.
func withDirectory(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (URL) async throws -> Void
) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
}
