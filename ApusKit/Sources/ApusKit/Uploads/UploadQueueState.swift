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
enum UploadResult: Sendable, Equatable {
    /// The server has it.
    case taken
    /// The server is out of reach or busy, for other uploads too: again later, at the earliest after so many seconds.
    case unavailable(after: TimeInterval?)
    /// The server has failed with this upload, and may not with others: again later, at the earliest after so many seconds.
    case failed(after: TimeInterval?)
    /// The key is revoked, expired or of another app: nothing works until it is another one.
    case keyRefused
    /// The server will never take it.
    case refused

    init(status: Int, retryAfter: TimeInterval?) {
        // A transport hands on what the server wrote: `nan` is a number to Swift, too.
        let retryAfter = retryAfter.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        switch status {
        case 200..<300: self = .taken
        case 401, 403: self = .keyRefused
        case 408, 425, 429, 502, 503, 504: self = .unavailable(after: retryAfter)
        case 500...: self = .failed(after: retryAfter)
        default: self = .refused
        }
    }
}

/// What is still to be uploaded: a state machine without a clock or a network.
struct UploadQueueState: Codable, Sendable, Equatable {
    struct Entry: Codable, Sendable, Equatable {
        let number: Int
        var upload: Upload
        /// How often it was tried in vain.
        var tries = 0
        /// How often the server has failed with it, and since when.
        var failures = 0
        var failsSince: Date?
        /// Until when it lets others pass.
        var waitsUntil: Date?
    }

    /// How many slots there are at most; the oldest gives way.
    static let limit = 200
    /// The longest pause, in seconds.
    static let longestPause: TimeInterval = 900
    /// The pause after a key was refused, in seconds.
    ///
    /// Trying sooner mends nothing.
    static let keyPause: TimeInterval = 3600
    /// For how long the server may fail with an upload before that is given up, in seconds.
    ///
    /// A server that is broken for a day loses nothing.
    static let longestFailing: TimeInterval = 2 * 86_400

    private enum CodingKeys: String, CodingKey { case entries, nextNumber, failures, pausedUntil }

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
        self.remove { $0.slot == upload.slot }
        self.entries.append(Entry(number: self.nextNumber, upload: upload))
        self.nextNumber += 1
        guard self.entries.count > Self.limit,
            let oldest = self.entries.firstIndex(where: { $0.upload.slot != Upload.device })
        else { return nil }
        return self.entries.remove(at: oldest).upload.slot
    }

    /// Forgets what has become pointless.
    mutating func remove(where isPointless: (Upload) -> Bool) { self.entries.removeAll { isPointless($0.upload) } }

    /// What is to be sent now: what was tried least, so that nothing stands in the way of the rest; the device first, since the
    /// others are about it, and then the oldest.
    func next(now: Date) -> Entry? {
        guard self.pausedUntil ?? now <= now else { return nil }
        return self.entries.filter { $0.waitsUntil ?? now <= now }.min { $0.rank < $1.rank }
    }

    /// When there is something to be sent, if nothing else happens; `nil` where nothing waits.
    var due: Date? {
        let first = self.entries.map { $0.waitsUntil ?? .distantPast }.min()
        return first.map { max($0, self.pausedUntil ?? .distantPast) }
    }

    /// Ends all pauses: there is a connection again, or the person has opened the app.
    mutating func endPauses() {
        self.pausedUntil = nil
        for place in self.entries.indices { self.entries[place].waitsUntil = nil }
    }

    /// Takes in what became of an entry.
    ///
    /// One that was replaced while it was under way stays replaced.
    ///
    /// By `chance`, from 0 to 1, phones that failed together do not come back together.
    ///
    /// - Returns: whether it is given up, since the server has failed with it for too long.
    mutating func settle(_ number: Int, _ verdict: UploadResult, now: Date, chance: Double) -> Bool {
        let place = self.entries.firstIndex { $0.number == number }
        if let place { self.entries[place].tries += 1 }
        switch verdict {
        case .taken, .refused:
            if let place { self.entries.remove(at: place) }
            (self.failures, self.pausedUntil) = (0, nil)
        case .unavailable(let least):
            self.pausedUntil = now + Self.pause(after: self.failures, least, chance)
            self.failures += 1
        case .failed(let least):
            (self.failures, self.pausedUntil) = (0, nil)
            guard let place else { return false }
            var entry = self.entries[place]
            let since = entry.failsSince ?? now
            guard now.timeIntervalSince(since) < Self.longestFailing else {
                self.entries.remove(at: place)
                return true
            }
            entry.waitsUntil = now + Self.pause(after: entry.failures, least, chance)
            (entry.failures, entry.failsSince) = (entry.failures + 1, since)
            self.entries[place] = entry
        case .keyRefused:
            self.failures += 1
            self.pausedUntil = now + Self.keyPause
        }
        return false
    }

    private static func pause(after failures: Int, _ least: TimeInterval?, _ chance: Double) -> TimeInterval {
        let pause = min(Self.longestPause, pow(2, Double(min(failures, 20))))
        return max(min(least ?? 0, Self.keyPause), pause / 2 + pause / 2 * chance)
    }
}

extension UploadQueueState {
    /// Reads a book from disk.
    ///
    /// - Throws: `DecodingError`, also for a number so high that it can only come from corruption.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.entries = try container.decode([Entry].self, forKey: .entries)
        self.nextNumber = try container.decode(Int.self, forKey: .nextNumber)
        self.failures = try container.decode(Int.self, forKey: .failures)
        self.pausedUntil = try container.decodeIfPresent(Date.self, forKey: .pausedUntil)
        let counts = [self.nextNumber, self.failures] + self.entries.flatMap { [$0.number, $0.tries, $0.failures] }
        guard counts.allSatisfy({ (0...Int.max / 2).contains($0) }) else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a count is corrupt")
            throw DecodingError.dataCorrupted(context)
        }
    }
}

extension UploadQueueState.Entry {
    fileprivate var rank: (Int, Int, Int) { (self.tries, self.upload.slot == Upload.device ? 0 : 1, self.number) }
}
