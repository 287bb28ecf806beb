// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// The calls that take long, or that the client keeps open.
enum LongCall: String, Hashable, Sendable, CaseIterable {
    /// Counts the devices of an audience.
    case estimate
    case export
    case `import`
    case stream

    /// A live stream of events, or of the progress of a campaign.
    case feed

    /// The plural, for error messages.
    fileprivate var plural: String { "\(self.rawValue)s" }
}

/// How many calls of one kind run at once, and how long each may take.
package struct CallLimits: Hashable, Sendable {
    /// The maximum number of calls; the last quarter is for keys that have none.
    package var total: Int

    /// The maximum number of calls of one API key.
    package var perKey: Int

    /// The maximum time of one call; `nil` for calls that end when their client is idle.
    package var deadline: Duration?

    package init(total: Int, perKey: Int, deadline: Duration? = nil) {
        self.total = total
        self.perKey = perKey
        self.deadline = deadline
    }
}

/// Limits how many long calls of each kind run at once: in all, and for each API key.
///
/// So the calls of one key cannot keep those of another one out.
final class CallShares: Sendable {
    /// The place of one call, which it has for as long as this lives.
    final class Share: Sendable {
        let deadline: Duration?
        private let shares: CallShares
        private let kind: LongCall
        private let key: APIKeyID?

        fileprivate init(of shares: CallShares, _ kind: LongCall, key: APIKeyID?) {
            self.shares = shares
            self.kind = kind
            self.key = key
            self.deadline = shares.limits[kind]?.deadline
        }

        deinit { self.shares.release(self.kind, of: self.key) }
    }

    private struct Calls {
        var count = 0
        var byKey: [APIKeyID?: Int] = [:]
    }

    private let limits: [LongCall: CallLimits]
    private let calls = Mutex<[LongCall: Calls]>([:])

    init(_ configuration: PushAPIConfiguration) {
        self.limits = [
            .estimate: configuration.estimates, .export: configuration.exports, .import: configuration.imports,
            .stream: CallLimits(
                total: configuration.stream.maximumStreams,
                perKey: configuration.stream.maximumStreamsPerKey
            ),
            .feed: configuration.feeds,
        ]
    }

    /// Takes a place for a call of a key.
    ///
    /// - Throws: ``Problem`` `.tooManyCalls` if the key has its share, `.tooManyStreams` or `.tooManyCalls` if no place
    ///   is left.
    func take(_ kind: LongCall, for key: APIKeyID?) throws(Problem) -> Share {
        guard let limits = self.limits[kind] else { return Share(of: self, kind, key: key) }
        let (own, count) = self.calls.withLock { calls -> (Int, Int) in
            var all = calls[kind] ?? Calls()
            let (own, count) = (all.byKey[key] ?? 0, all.count)
            guard own < limits.perKey, count < Self.places(of: limits, own: own) else { return (own, count) }
            all.count += 1
            all.byKey[key] = own + 1
            calls[kind] = all
            return (-1, count)
        }
        if own < 0 { return Share(of: self, kind, key: key) }
        guard own < limits.perKey else {
            throw Problem(.tooManyCalls, "The key has \(own) \(kind.plural) open, the limit of one key.")
        }
        let found = "The server has \(count) \(kind.plural) open."
        let limit = "Its limit is \(limits.total); the last quarter is for keys that have none."
        throw Problem(kind == .stream ? .tooManyStreams : .tooManyCalls, "\(found) \(limit)")
    }

    private static func places(of limits: CallLimits, own: Int) -> Int {
        own == 0 ? limits.total : limits.total - limits.total / 4
    }

    private func release(_ kind: LongCall, of key: APIKeyID?) {
        self.calls.withLock { calls in
            guard var all = calls[kind], let own = all.byKey[key] else { return }
            all.count -= 1
            all.byKey[key] = own > 1 ? own - 1 : nil
            calls[kind] = all
        }
    }
}

extension AuthorizedRequest {
    /// Takes a place among the long calls of a kind, until the value is released.
    ///
    /// - Throws: ``Problem`` `.tooManyCalls`, `.tooManyStreams`.
    func share(of kind: LongCall) throws(Problem) -> CallShares.Share {
        try self.shares.take(kind, for: self.key?.id)
    }

    /// Counts devices for a call, within its share and its deadline.
    ///
    /// - Throws: ``Problem`` `.tooManyCalls`, `.callTimeout`; what `body` throws.
    func estimating<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let share = try self.share(of: .estimate)
        defer { withExtendedLifetime(share) {} }
        guard let deadline = share.deadline else { return try await body() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await ContinuousClock().sleep(for: deadline)
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else {
                throw Problem(.callTimeout, "The devices were not counted within \(deadline).")
            }
            return value
        }
    }
}
