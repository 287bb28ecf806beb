// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uploads what is in the book, one after the other, and keeps the book on disk.
///
/// It survives being offline and the end of the process. Nothing of it runs on the main thread.
actor UploadQueue {
    private let configuration: ApusConfiguration
    private let file: URL
    private let signal = Signal()
    private var book = UploadQueueState()
    /// Whether it is known what an earlier process has left behind.
    private var isLoaded = false
    /// Whether it was said that this cannot be known yet.
    private var isUnreadable = false
    /// Whether the book's last state is on disk; said once, not at every failure.
    private var isStored = true

    init(_ configuration: ApusConfiguration) {
        self.configuration = configuration
        self.file = configuration.directory.appendingPathComponent("uploads.json")
    }

    /// Reads what an earlier process left behind; a corrupt file is put aside.
    ///
    /// Before a phone was unlocked the first time there is nothing to be read, and nothing may be written over it; `isUnlocked`
    /// says that this is not the reason, and then what cannot be read is written over.
    func load(isUnlocked: Bool = false) {
        do {
            let waiting = self.book.entries
            self.book = try self.file.decoded() ?? self.book
            self.book.endPauses()
            for entry in waiting { _ = self.book.add(entry.upload) }
            self.isLoaded = true
        } catch is DecodingError {
            self.log(.warning, "the queue on disk is corrupt; starting with an empty one")
            try? FileManager.default.removeItem(at: self.file)
            self.isLoaded = true
        } catch {
            // It is tried again with what comes next.
            self.isLoaded = isUnlocked
            if isUnlocked {
                self.log(.error, "the queue on disk cannot be read and begins anew: \(error.kind)")
            } else if !self.isUnreadable {
                self.log(.warning, "the queue on disk cannot be read yet, and is tried again: \(error.kind)")
            }
            self.isUnreadable = true
        }
    }

    /// Takes an upload; one of the same slot that still waits gives way.
    func add(_ upload: Upload) {
        if !self.isLoaded { self.load() }
        if let dropped = self.book.add(upload) {
            self.log(.warning, "too much waits for the server; dropped: \(dropped)")
        }
        self.store()
        self.signal.send()
    }

    /// Forgets what has become pointless.
    func remove(where isPointless: @Sendable (Upload) -> Bool) {
        if !self.isLoaded { self.load() }
        guard self.book.entries.contains(where: { isPointless($0.upload) }) else { return }
        self.book.remove(where: isPointless)
        self.store()
    }

    /// Tries at once: there is a connection again, or the person has opened the app.
    func retryNow(isUnlocked: Bool = false) {
        if !self.isLoaded { self.load(isUnlocked: isUnlocked) }
        self.book.endPauses()
        self.signal.send()
    }

    /// The slots that wait.
    var waiting: [String] { self.book.entries.map(\.upload.slot) }

    /// Uploads until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            if let entry = self.book.next(now: self.configuration.clock.now()) {
                await self.send(entry)
            } else {
                await self.rest()
            }
        }
    }

    /// Waits for a signal, or for the end of a pause.
    private func rest() async {
        let (signal, clock) = (self.signal, self.configuration.clock)
        guard let pause = self.book.due?.timeIntervalSince(clock.now()) else { return await signal.wait() }
        guard pause > 0 else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await signal.wait() }
            group.addTask { try? await clock.sleep(pause) }
            await group.next()
            group.cancelAll()
        }
    }

    private func send(_ entry: UploadQueueState.Entry) async {
        let upload = entry.upload
        var (verdict, reason) = (UploadResult.unavailable(after: nil), "no answer")
        do {
            let answer = try await self.configuration.transport.send(self.request(upload))
            verdict = UploadResult(status: answer.status, retryAfter: answer.retryAfter)
            reason = "status \(answer.status)\(answer.problem.map { ", \($0)" } ?? "")"
        } catch {
            guard !Task.isCancelled else { return }
        }
        let now = self.configuration.clock.now()
        let isGivenUp = self.book.settle(entry.number, verdict, now: now, chance: .random(in: 0...1))
        self.store()
        if isGivenUp {
            self.log(.error, "\(upload.slot): given up after \(entry.tries + 1) tries in vain (\(reason))")
        } else {
            self.tell(upload, verdict, reason)
        }
    }

    private func tell(_ upload: Upload, _ verdict: UploadResult, _ reason: String) {
        switch verdict {
        case .taken: self.log(.info, "\(upload.slot): the server has it")
        case .unavailable: self.log(.warning, "\(upload.slot): \(reason); tried again later")
        case .failed: self.log(.warning, "\(upload.slot): \(reason); tried again later, and others before it")
        case .keyRefused:
            self.log(.error, "\(upload.slot): the client key is refused (\(reason)); make another and ship it")
        case .refused: self.log(.error, "\(upload.slot): refused (\(reason)); it is not tried again")
        }
    }

    private func request(_ upload: Upload) -> URLRequest {
        let base = self.configuration.server.absoluteString
        let address = (base.hasSuffix("/") ? String(base.dropLast()) : base) + upload.path
        var request = URLRequest(url: URL(string: address) ?? self.configuration.server, timeoutInterval: 30)
        request.httpMethod = upload.method
        request.httpBody = upload.body
        request.setValue("Bearer \(self.configuration.clientKey)", forHTTPHeaderField: "Authorization")
        if upload.body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        return request
    }

    /// Writes the book.
    ///
    /// Where that fails, as on a full disk, it goes on in memory.
    private func store() {
        guard self.isLoaded else { return }
        do {
            try self.configuration.directory.makeOutOfBackups()
            try JSONEncoder().encode(self.book).write(to: self.file, options: .ofApus)
            self.isStored = true
        } catch {
            if self.isStored { self.log(.error, "the queue cannot be written, and lives in memory: \(error.kind)") }
            self.isStored = false
        }
    }

    private func log(_ level: ApusLogEntry.Level, _ message: String) {
        self.configuration.log(ApusLogEntry(level: level, message: message))
    }
}

extension URL {
    /// Makes the directory where it is missing, and has it left out of backups, whoever has made it.
    func makeOutOfBackups() throws {
        try FileManager.default.createDirectory(at: self, withIntermediateDirectories: true)
        #if canImport(Darwin)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        var directory = self
        try directory.setResourceValues(values)
        #endif
    }
}

extension URL {
    /// What a file holds as JSON; `nil` where there is none.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value? {
        guard FileManager.default.fileExists(atPath: self.path) else { return nil }
        return try JSONDecoder().decode(type, from: Data(contentsOf: self))
    }
}

extension Data.WritingOptions {
    /// Whole or not at all, and readable while the phone is locked: pushes come then too.
    static var ofApus: Data.WritingOptions {
        #if os(iOS)
        [.atomic, .completeFileProtectionUntilFirstUserAuthentication]
        #else
        .atomic
        #endif
    }
}
