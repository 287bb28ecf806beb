// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

public protocol ActivityAttributes: Decodable, Encodable {
    associatedtype ContentState: Decodable, Encodable, Hashable
}

public struct ActivityContent<State> where State: Decodable, State: Encodable, State: Hashable {
    public let state: State
    public let staleDate: Date?
    public let relevanceScore: Double

    public init(state: State, staleDate: Date?, relevanceScore: Double = 0.0) {
        self.state = state
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
    }
}

extension ActivityContent: Sendable where State: Sendable {}

extension ActivityContent: CustomStringConvertible {
    public var description: String { "ActivityContent(state: \(self.state))" }
}

public enum ActivityState: String, Sendable, Codable, Hashable {
    case pending, active, ended, dismissed, stale
}

public enum ActivityStyle: Hashable {
    case standard, transient
}

public struct ActivityUIDismissalPolicy: Equatable, Sendable {
    let word: String
    let date: Date?

    public static let `default` = ActivityUIDismissalPolicy(word: "default", date: nil)
    public static let immediate = ActivityUIDismissalPolicy(word: "immediate", date: nil)
    public static func after(_ date: Date) -> ActivityUIDismissalPolicy {
        ActivityUIDismissalPolicy(word: "after", date: date)
    }
}

/// A string without localization; on Apple platforms, Foundation declares this type.
public struct LocalizedStringResource: Equatable, Sendable, ExpressibleByStringInterpolation {
    public let key: String
    public init(stringLiteral value: String) { self.key = value }
}

public struct AlertConfiguration: Equatable, Sendable {
    public var title: LocalizedStringResource
    public var body: LocalizedStringResource
    public var sound: AlertSound

    public init(title: LocalizedStringResource, body: LocalizedStringResource, sound: AlertSound) {
        self.title = title
        self.body = body
        self.sound = sound
    }

    public struct AlertSound: Equatable, Sendable {
        let name: String
        public static var `default`: AlertSound { AlertSound(name: "default") }
        public static func named(_ name: String) -> AlertSound { AlertSound(name: name) }
    }
}

public struct PushType: Equatable {
    let channel: String?
    public static var token: PushType { PushType(channel: nil) }
    public static func channel(_ name: String) -> PushType { PushType(channel: name) }
}

/// An error of an activity request.
///
/// Apple does not document the domain and the codes, so the values of this shim differ.
public enum ActivityAuthorizationError: CustomNSError, LocalizedError, Hashable {
    case attributesTooLarge, unsupported, denied, globalMaximumExceeded, targetMaximumExceeded, unsupportedTarget
    case visibility, persistenceFailure, missingProcessIdentifier, unentitled, malformedActivityIdentifier
    case reconnectNotPermitted

    public static var errorDomain: String { "com.apple.ActivityKit.ActivityAuthorization" }
    public var errorCode: Int { Self.all.firstIndex(of: self) ?? 0 }
    public var errorDescription: String? { "The operation couldn’t be completed: \(self)." }
    public var failureReason: String? { "\(self)" }
    public var recoverySuggestion: String? { nil }

    private static let all: [Self] = [
        .attributesTooLarge, .unsupported, .denied, .globalMaximumExceeded, .targetMaximumExceeded, .unsupportedTarget,
        .visibility, .persistenceFailure, .missingProcessIdentifier, .unentitled, .malformedActivityIdentifier,
        .reconnectNotPermitted,
    ]

    /// Creates the error from its name in the control API.
    init?(word: String) {
        guard let error = Self.all.first(where: { "\($0)" == word }) else { return nil }
        self = error
    }
}

/// The user's settings for Live Activities of the app.
final public class ActivityAuthorizationInfo {
    public struct ActivityEnablementUpdates: AsyncSequence {
        public struct Iterator: AsyncIteratorProtocol {
            let values: SharedIterator<Bool>
            public mutating func next() async -> Bool? { await self.values.next() }
        }

        public typealias Element = Bool
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                values: SharedIterator(ActivityStateCache.shared.changes { $0.isKnown ? $0.areActivitiesEnabled : nil })
            )
        }
    }

    public struct FrequentPushEnablementUpdates: AsyncSequence {
        public struct Iterator: AsyncIteratorProtocol {
            let values: SharedIterator<Bool>
            public mutating func next() async -> Bool? { await self.values.next() }
        }

        public typealias Element = Bool
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                values: SharedIterator(
                    ActivityStateCache.shared.changes { $0.isKnown ? $0.areFrequentPushesEnabled : nil }
                )
            )
        }
    }

    public init() {}

    final public var areActivitiesEnabled: Bool { ActivityStateCache.shared.snapshot.areActivitiesEnabled }
    final public let activityEnablementUpdates = ActivityEnablementUpdates()
    final public var frequentPushesEnabled: Bool { ActivityStateCache.shared.snapshot.areFrequentPushesEnabled }
    final public let frequentPushEnablementUpdates = FrequentPushEnablementUpdates()
}
