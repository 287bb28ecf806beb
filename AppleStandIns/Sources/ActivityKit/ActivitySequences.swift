// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import VirtualDevice

extension Activity {
    /// The app's activities of this type on the device, including those that ended and were not dismissed.
    public static var activities: [Activity<Attributes>] {
        let records = ActivityStateCache.shared.snapshot.activities.filter {
            $0.attributesType == self.typeName && $0.state != "dismissed"
        }
        return records.compactMap { Activity($0) }
    }

    public static var activityUpdates: ActivityUpdates { ActivityUpdates() }
    public var activityStateUpdates: ActivityStateUpdates { ActivityStateUpdates(id: self.id) }
    public var contentUpdates: ContentUpdates { ContentUpdates(id: self.id) }
    public var pushTokenUpdates: PushTokenUpdates { PushTokenUpdates(id: self.id) }

    @available(*, deprecated, message: "use contentUpdates")
    public var contentStateUpdates: ContentStateUpdates { ContentStateUpdates(id: self.id) }

    public static var pushToStartTokenUpdates: PushTokenUpdates {
        self.askForStartToken()
        return PushTokenUpdates(id: nil)
    }

    public static var pushToStartToken: Data? {
        ActivityStateCache.shared.snapshot.startTokens[self.typeName].map(Data.init(hexadecimal:))
    }

    /// Requests a push-to-start token, which the system creates when an app observes the sequence.
    private static func askForStartToken() {
        let board = ActivityStateCache.shared
        guard board.snapshot.startTokens[self.typeName] == nil else { return }
        let body = ["attributesType": self.typeName]
        // A system version without push-to-start tokens never yields one.
        guard let answer = try? board.link.call("POST", board.link.appPath("/push-to-start"), body) else { return }
        board.take(startToken: answer["token"] as? String, of: self.typeName)
    }

    public struct ActivityUpdates: AsyncSequence {
        public typealias Element = Activity<Attributes>

        public struct Iterator: AsyncIteratorProtocol {
            let values: SharedIterator<DeviceActivity>

            public func next() async -> Element? {
                while let record = await self.values.next() {
                    if let activity = Activity(record) { return activity }
                }
                return nil
            }
        }

        public func makeAsyncIterator() -> Iterator {
            let board = ActivityStateCache.shared
            let type = Activity.typeName
            let seen = Locked<Set<String>?>(nil)
            let stream = board.updates { snapshot -> (elements: [DeviceActivity], isOver: Bool) in
                let own = snapshot.activities.filter { $0.attributesType == type && $0.state != "dismissed" }
                let unhanded = board.hand(own.map(\.id))
                // First yield all activities that the app has not received; then only new ones.
                let new = seen.with { seen in
                    defer { seen = (seen ?? []).union(own.map(\.id)) }
                    return seen.map { known in own.filter { !known.contains($0.id) } }
                        ?? own.filter { unhanded.contains($0.id) }
                }
                return (new, false)
            }
            return Iterator(values: SharedIterator(stream))
        }
    }

    public struct ActivityStateUpdates: AsyncSequence {
        public typealias Element = ActivityState
        let id: String

        public struct Iterator: AsyncIteratorProtocol, Sendable {
            let values: SharedIterator<ActivityState>
            public func next() async -> ActivityState? { await self.values.next() }
        }

        public func makeAsyncIterator() -> Iterator {
            let last = Locked<ActivityState?>(nil)
            let id = self.id
            let stream = ActivityStateCache.shared.updates { snapshot -> (elements: [ActivityState], isOver: Bool) in
                last.with { last in
                    guard let word = snapshot.activity(id)?.state, let state = ActivityState(rawValue: word),
                        state != last
                    else { return ([], false) }
                    // An activity that is dismissed immediately ends first.
                    let hasSkippedEnd = state == .dismissed && last != nil && last != .ended
                    last = state
                    return (hasSkippedEnd ? [.ended, .dismissed] : [state], state == .dismissed)
                }
            }
            return Iterator(values: SharedIterator(stream))
        }
    }

    public struct ContentUpdates: AsyncSequence {
        public typealias Element = ActivityContent<Activity<Attributes>.ContentState>
        let id: String

        public struct Iterator: AsyncIteratorProtocol {
            let values: SharedIterator<DeviceActivity>

            public func next() async -> Element? {
                while let record = await self.values.next() {
                    if let content = Activity.content(record) { return content }
                }
                return nil
            }
        }

        public func makeAsyncIterator() -> Iterator { Iterator(values: Activity.contents(of: self.id)) }
    }

    public struct ContentStateUpdates: AsyncSequence {
        public typealias Element = Activity<Attributes>.ContentState
        let id: String

        public struct Iterator: AsyncIteratorProtocol {
            let contents: ContentUpdates.Iterator
            public func next() async -> Element? { await self.contents.next()?.state }
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(contents: ContentUpdates(id: self.id).makeAsyncIterator())
        }
    }

    /// The content of an activity at each change, until the activity is dismissed.
    private static func contents(of id: String) -> SharedIterator<DeviceActivity> {
        let last = Locked<DeviceActivity?>(nil)
        let stream = ActivityStateCache.shared.updates { snapshot -> (elements: [DeviceActivity], isOver: Bool) in
            last.with { last in
                guard let record = snapshot.activity(id) else { return ([], false) }
                let isNew =
                    record.contentState != last?.contentState || record.staleDate != last?.staleDate
                    || record.relevanceScore != last?.relevanceScore
                last = record
                return (isNew ? [record] : [], record.state == "dismissed")
            }
        }
        return SharedIterator(stream)
    }

    public struct PushTokenUpdates: AsyncSequence {
        public typealias Element = Data
        /// The activity of the update tokens; `nil` for the push-to-start tokens of the type.
        let id: String?

        public struct Iterator: AsyncIteratorProtocol {
            let values: SharedIterator<String>
            public func next() async -> Data? { await self.values.next().map(Data.init(hexadecimal:)) }
        }

        public func makeAsyncIterator() -> Iterator {
            let (id, type, last) = (self.id, Activity.typeName, Locked<String?>(nil))
            let stream = ActivityStateCache.shared.updates { snapshot -> (elements: [String], isOver: Bool) in
                last.with { last in
                    let record = id.flatMap { snapshot.activity($0) }
                    let isOver = record?.state == "dismissed"
                    let token = id == nil ? snapshot.startTokens[type] : record?.token
                    guard let token, token != last else { return ([], isOver) }
                    last = token
                    return ([token], isOver)
                }
            }
            return Iterator(values: SharedIterator(stream))
        }
    }
}
