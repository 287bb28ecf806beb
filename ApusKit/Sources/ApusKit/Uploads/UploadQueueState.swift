// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// A request that the kit has to send to the server.
struct Upload: Codable, Sendable, Equatable {
    /// The subject of the upload; a newer upload of a slot replaces the older one.
    var slot: String
    /// The HTTP method.
    var method: String
    /// The path and query relative to the server's base URL, percent-encoded.
    var path: String
    /// The JSON body; `nil` for none.
    var body: Data?

    /// The slot of the device registration, which is sent before all others.
    static let device = "device"
    static func activity(_ name: String) -> String { "activity \(name)" }
    static func startToken(_ type: String) -> String { "start token \(type)" }

    /// The device registration without its time zone; `nil` for an upload that has none.
    var withoutTimeZone: Upload? {
        guard self.slot == Self.device, let body = self.body,
            var members = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
            members.removeValue(forKey: "timeZone") != nil
        else { return nil }
        var upload = self
        upload.body = try? JSONSerialization.data(withJSONObject: members, options: [.sortedKeys])
        return upload.body == nil ? nil : upload
    }

    /// Whether the upload needs a registered device, which the server may not have yet.
    var needsDevice: Bool { self.slot.hasPrefix(Self.startToken("")) && self.method == "PUT" }

    /// Percent-encodes a path segment.
    static func segment(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~"))) ?? ""
    }
}

/// The result of an attempt to upload.
enum UploadResult: Sendable, Equatable {
    /// The server accepted the upload.
    case taken
    /// The server is unreachable or busy, so retry all uploads later, after at least this delay in seconds.
    case unavailable(after: TimeInterval?)
    /// The server failed for this upload only, so retry it later, after at least this delay in seconds.
    case failed(after: TimeInterval?)
    /// The client key is revoked, expired or of another app; all uploads fail until the app has a new key.
    case keyRefused
    /// The server rejected the upload permanently.
    case refused
    /// The device ID belongs to another installation, or to one that has lost its secret: this one needs another ID.
    case foreign

    /// - Parameter problem: the `code` of the problem details.
    init(status: Int, retryAfter: TimeInterval?, problem: String? = nil) {
        // A transport passes the server's value unchecked, and Swift parses `nan` as a number.
        let retryAfter = retryAfter.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        switch (status, problem) {
        case (403, "installation_secret_mismatch"), (403, "installation_not_bound"):
            self = .foreign
            return
        // The server may not know the device or its user yet, or the backend names it later.
        case (403, "activity_not_joinable"), (404, "device_not_found"):
            self = .failed(after: retryAfter)
            return
        default: break
        }
        switch status {
        case 200..<300: self = .taken
        case 401, 403: self = .keyRefused
        case 408, 425, 429, 502, 503, 504: self = .unavailable(after: retryAfter)
        case 500...: self = .failed(after: retryAfter)
        default: self = .refused
        }
    }
}

/// The queue of pending uploads: a pure state machine; the caller passes the current time.
struct UploadQueueState: Codable, Sendable, Equatable {
    struct Entry: Codable, Sendable, Equatable {
        let number: Int
        var upload: Upload
        /// The number of failed attempts.
        var tries = 0
        /// The number of server failures for this upload, and the time of the first one.
        var failures = 0
        var failsSince: Date?
        /// The time before which the upload is not retried.
        var waitsUntil: Date?
    }

    /// The maximum number of slots; beyond it, the oldest is dropped.
    static let limit = 200
    /// The maximum backoff, in seconds.
    static let longestPause: TimeInterval = 900
    /// The delay after the server rejected the client key, in seconds.
    ///
    /// An earlier retry would fail too, because the app needs a new key.
    static let keyPause: TimeInterval = 3600
    /// The time for which an upload is retried after server failures, in seconds.
    ///
    /// It is two days, so that no upload is lost if the server fails for one day.
    static let longestFailing: TimeInterval = 2 * 86_400

    private enum CodingKeys: String, CodingKey { case entries, nextNumber, failures, pausedUntil }

    private(set) var entries: [Entry] = []
    private var nextNumber = 1
    /// The number of consecutive failures that affected all uploads.
    private(set) var failures = 0
    /// The time before which no upload is sent.
    private(set) var pausedUntil: Date?

    /// Adds an upload, and replaces an older one of the same slot.
    ///
    /// - Returns: The slot that was dropped because the queue was full.
    mutating func add(_ upload: Upload) -> String? {
        self.remove { $0.slot == upload.slot }
        self.entries.append(Entry(number: self.nextNumber, upload: upload))
        self.nextNumber += 1
        guard self.entries.count > Self.limit,
            let oldest = self.entries.firstIndex(where: { $0.upload.slot != Upload.device })
        else { return nil }
        return self.entries.remove(at: oldest).upload.slot
    }

    /// Removes the uploads that are no longer needed.
    mutating func remove(where isPointless: (Upload) -> Bool) { self.entries.removeAll { isPointless($0.upload) } }

    /// The upload to send now, by number of attempts, device registration first, then by age.
    ///
    /// The fewest attempts come first, so that a failing upload does not block the others. The device comes first
    /// because the other uploads refer to it.
    func next(now: Date) -> Entry? {
        guard self.pausedUntil ?? now <= now else { return nil }
        return self.entries.filter { $0.waitsUntil ?? now <= now }.min { $0.rank < $1.rank }
    }

    /// The time at which the next upload can be sent; `nil` if the queue is empty.
    var due: Date? {
        let first = self.entries.map { $0.waitsUntil ?? .distantPast }.min()
        return first.map { max($0, self.pausedUntil ?? .distantPast) }
    }

    /// Ends all delays, because the network became available or the user opened the app.
    mutating func endPauses() {
        self.pausedUntil = nil
        for place in self.entries.indices { self.entries[place].waitsUntil = nil }
    }

    /// Records the result of an attempt.
    ///
    /// An upload that was replaced during the attempt stays replaced. `chance`, from 0 to 1, is the jitter of the
    /// backoff, so that devices that failed together do not retry together.
    ///
    /// - Returns: Whether the upload was dropped because the server failed for ``longestFailing``.
    mutating func settle(_ number: Int, _ verdict: UploadResult, now: Date, chance: Double) -> Bool {
        let place = self.entries.firstIndex { $0.number == number }
        if let place { self.entries[place].tries += 1 }
        switch verdict {
        case .taken, .refused, .foreign:
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
    /// Decodes a stored queue.
    ///
    /// - Throws: `DecodingError`, also for a count that is out of range and therefore corrupt.
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
