// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends pending uploads one after another, and stores the queue on disk.
///
/// The queue survives a lost connection and the end of the process. It runs off the main thread.
actor UploadQueue {
    private let configuration: ApusConfiguration
    private let file: URL
    private let signal = Signal()
    private var book = UploadQueueState()
    /// Whether the queue of earlier processes was read.
    private var isLoaded = false
    /// Whether an unreadable queue file was already logged.
    private var isUnreadable = false
    /// Whether the latest state is on disk; only the first of several failures is logged.
    private var isStored = true
    /// The secret of the installation, once it was read.
    private var secret: String?
    /// Whether the user has opened the app, so that files that cannot be read now stay unreadable.
    private var isUnlocked = false
    /// Runs when the server has assigned the device ID in a path to another installation.
    private var onForeignDevice: @Sendable (_ path: String) -> Void = { _ in }

    init(_ configuration: ApusConfiguration) {
        self.configuration = configuration
        self.file = configuration.directory.appendingPathComponent("uploads.json")
    }

    /// Reads the queue of earlier processes, and removes a corrupt file.
    ///
    /// Before the first unlock after a restart, files are unreadable and must not be overwritten. If `isUnlocked` is
    /// true, an unreadable file has another cause and is overwritten.
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
            // The next call of the queue reads the file again.
            self.isLoaded = isUnlocked
            if isUnlocked {
                self.log(.error, "the queue on disk cannot be read and begins anew: \(error.kind)")
            } else if !self.isUnreadable {
                self.log(.warning, "the queue on disk cannot be read yet, and is tried again: \(error.kind)")
            }
            self.isUnreadable = true
        }
    }

    /// Sets the closure that runs when the server refuses the device ID in a path as another installation's.
    func onForeignDevice(_ body: @escaping @Sendable (_ path: String) -> Void) { self.onForeignDevice = body }

    /// Adds an upload, and replaces a pending one of the same slot.
    func add(_ upload: Upload) {
        if !self.isLoaded { self.load() }
        if let dropped = self.book.add(upload) {
            self.log(.warning, "too much waits for the server; dropped: \(dropped)")
        }
        self.store()
        self.signal.send()
    }

    /// Removes the uploads that are no longer needed.
    func remove(where isPointless: @Sendable (Upload) -> Bool) {
        if !self.isLoaded { self.load() }
        guard self.book.entries.contains(where: { isPointless($0.upload) }) else { return }
        self.book.remove(where: isPointless)
        self.store()
    }

    /// Retries immediately, because the network became available or the user opened the app.
    func retryNow(isUnlocked: Bool = false) {
        self.isUnlocked = self.isUnlocked || isUnlocked
        if !self.isLoaded { self.load(isUnlocked: isUnlocked) }
        self.book.endPauses()
        self.signal.send()
    }

    /// The slots of the pending uploads.
    var waiting: [String] { self.book.entries.map(\.upload.slot) }

    /// Sends uploads until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            if let entry = self.book.next(now: self.configuration.clock.now()) {
                await self.send(entry)
            } else {
                await self.rest()
            }
        }
    }

    /// Waits for a signal, or until the next upload is due.
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
        var retry: Upload?
        do {
            let answer = try await self.configuration.transport.send(try self.request(upload))
            let problem = answer.problem.flatMap { $0 == "device_not_found" && !upload.needsDevice ? nil : $0 }
            verdict = UploadResult(status: answer.status, retryAfter: answer.retryAfter, problem: problem)
            reason = "status \(answer.status)\(answer.problem.map { ", \($0)" } ?? "")"
            // The server may not know a recent time zone, and without the registration the device gets no pushes.
            if answer.status == 422 { retry = upload.withoutTimeZone }
        } catch {
            guard !Task.isCancelled else { return }
        }
        let now = self.configuration.clock.now()
        if !self.book.entries.contains(where: { $0.number == entry.number }) { retry = nil }
        let isGivenUp = self.book.settle(entry.number, verdict, now: now, chance: .random(in: 0...1))
        if let retry { _ = self.book.add(retry) }
        self.store()
        if verdict == .foreign, upload.slot == Upload.device { self.onForeignDevice(upload.path) }
        if retry != nil {
            self.log(.warning, "\(upload.slot): refused (\(reason)); tried again without its time zone")
        } else if isGivenUp {
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
        case .foreign: self.log(.error, "\(upload.slot): refused (\(reason)); this installation needs another device ID")
        }
    }

    /// - Throws: an error if the secret cannot be read, for example before the first unlock; the queue waits then.
    private func request(_ upload: Upload) throws -> URLRequest {
        let secret = try self.secret ?? InstallationSecret(self.configuration).text(isUnlocked: self.isUnlocked)
        self.secret = secret
        let base = self.configuration.server.absoluteString
        let address = (base.hasSuffix("/") ? String(base.dropLast()) : base) + upload.path
        var request = URLRequest(url: URL(string: address) ?? self.configuration.server, timeoutInterval: 30)
        request.httpMethod = upload.method
        request.httpBody = upload.body
        request.setValue("Bearer \(self.configuration.clientKey)", forHTTPHeaderField: "Authorization")
        request.setValue(secret, forHTTPHeaderField: InstallationSecret.header)
        if upload.body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        return request
    }

    /// Writes the queue to disk; if that fails, for example on a full disk, the queue continues in memory.
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
    /// Creates the directory if it is missing, and excludes it from backups even if it exists.
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
    /// Decodes a JSON file; `nil` if the file does not exist.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value? {
        guard FileManager.default.fileExists(atPath: self.path) else { return nil }
        return try JSONDecoder().decode(type, from: Data(contentsOf: self))
    }
}

extension Data.WritingOptions {
    /// Atomic, and readable while the device is locked, because pushes launch the app then too.
    static var ofApus: Data.WritingOptions {
        #if os(iOS)
        [.atomic, .completeFileProtectionUntilFirstUserAuthentication]
        #else
        .atomic
        #endif
    }
}
