// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Something that the server is to be told.
struct Upload: Codable, Sendable, Equatable {
    /// What it is about; a newer upload of the same slot takes the place of an older one.
    var slot: String
    /// The HTTP method.
    var method: String
    /// The path behind the server's address with its query, percent-encoded.
    var path: String
    /// JSON.
    var body: Data?

    /// The slot of the device itself, which comes before all others.
    static let device = "device"
    static func activity(_ name: String) -> String { "activity \(name)" }
    static func startToken(_ type: String) -> String { "start token \(type)" }

    /// A segment of a path.
    static func segment(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~"))) ?? ""
    }
}

/// What became of an attempt.
enum UploadVerdict: Sendable, Equatable {
    /// The server has it.
    case taken
    /// The server is out of reach, busy or broken: again later, at the earliest after so many seconds.
    case again(after: TimeInterval?)
    /// The key is revoked, expired or of another app: nothing works until it is another one.
    case keyRefused
    /// The server will never take it.
    case refused

    init(status: Int, retryAfter: TimeInterval?) {
        switch status {
        case 200..<300: self = .taken
        case 401, 403: self = .keyRefused
        case 408, 425, 429, 500...: self = .again(after: retryAfter)
        default: self = .refused
        }
    }
}

/// What is still to be uploaded: a state machine without a clock or a network.
struct UploadBook: Codable, Sendable, Equatable {
    struct Entry: Codable, Sendable, Equatable {
        let number: Int
        var upload: Upload
    }

    /// How many slots there are at most; the oldest gives way.
    static let limit = 200
    /// The longest pause, in seconds.
    static let longestPause: TimeInterval = 900
    /// The pause after a key was refused, in seconds.
    ///
    /// Trying sooner mends nothing.
    static let keyPause: TimeInterval = 3600

    private(set) var entries: [Entry] = []
    private var nextNumber = 1
    /// How often in a row nothing worked.
    private(set) var failures = 0
    /// Until when nothing is tried.
    private(set) var pausedUntil: Date?

    /// Takes an upload; what it says counts from now on.
    ///
    /// Returns the slot that gave way for it, if the book was full.
    mutating func add(_ upload: Upload) -> String? {
        self.remove(slot: upload.slot)
        self.entries.append(Entry(number: self.nextNumber, upload: upload))
        self.nextNumber += 1
        guard self.entries.count > Self.limit,
            let oldest = self.entries.firstIndex(where: { $0.upload.slot != Upload.device })
        else { return nil }
        return self.entries.remove(at: oldest).upload.slot
    }

    /// Forgets what has become pointless.
    mutating func remove(slot: String) { self.entries.removeAll { $0.upload.slot == slot } }

    /// What is to be sent now: the device first, since the others are about it.
    func next(now: Date) -> Entry? {
        if let pausedUntil, now < pausedUntil { return nil }
        return self.entries.first { $0.upload.slot == Upload.device } ?? self.entries.first
    }

    /// Ends a pause: there is a connection again, or the person has opened the app.
    mutating func endPause() { self.pausedUntil = nil }

    /// Takes in what became of an entry.
    ///
    /// One that was replaced while it was under way stays replaced.
    ///
    /// By `chance`, from 0 to 1, phones that failed together do not come back together.
    mutating func settle(_ number: Int, _ verdict: UploadVerdict, now: Date, chance: Double) {
        switch verdict {
        case .taken, .refused:
            self.entries.removeAll { $0.number == number }
            self.failures = 0
            self.pausedUntil = nil
        case .again(let least):
            let pause = min(Self.longestPause, pow(2, Double(min(self.failures, 20))))
            self.failures += 1
            let wished = min(least ?? 0, Self.keyPause)
            self.pausedUntil = now.addingTimeInterval(max(wished, pause / 2 + pause / 2 * chance))
        case .keyRefused:
            self.failures += 1
            self.pausedUntil = now.addingTimeInterval(Self.keyPause)
        }
    }
}
