// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import VirtualDevice

/// A cache of the app's Live Activities on its device.
final class ActivityStateCache: @unchecked Sendable {
    static let shared = ActivityStateCache()

    struct Snapshot {
        var activities: [DeviceActivity] = []
        var areActivitiesEnabled = true
        var areFrequentPushesEnabled = true
        var startTokens: [String: String] = [:]
        /// Whether the device was read once.
        var isKnown = false

        func activity(_ id: String) -> DeviceActivity? { self.activities.first { $0.id == id } }
    }

    private struct State {
        var place: VirtualDeviceContext?
        var snapshot = Snapshot()
        var readers: [UUID: @Sendable (Snapshot) -> Void] = [:]
    }

    private let state = Locked(State())
    let link = VirtualDeviceSession.shared

    /// The cached state; the first access reads the device.
    var snapshot: Snapshot {
        self.attach()
        let known = self.state.with { $0.snapshot }
        guard !known.isKnown else { return known }
        var fresh = Snapshot()
        if let live = try? self.link.call("GET", self.link.appPath("/live-activities")) {
            fresh.areActivitiesEnabled = live["enabled"] as? Bool ?? true
            fresh.areFrequentPushesEnabled = live["frequentPushesEnabled"] as? Bool ?? true
            fresh.startTokens = live["pushToStartTokens"] as? [String: String] ?? [:]
        }
        fresh.activities = (try? self.link.activities()) ?? []
        return fresh
    }

    private func attach() {
        let place = self.link.place
        let isNew = self.state.with { state in
            guard state.place != place else { return false }
            state = State(place: place)
            return true
        }
        guard isNew else { return }
        self.link.observe { [weak self] moment in
            self?.change { snapshot in
                snapshot.activities = moment.activities
                snapshot.areActivitiesEnabled = moment.areActivitiesEnabled
                snapshot.areFrequentPushesEnabled = moment.areFrequentPushesEnabled
                snapshot.startTokens = moment.startTokens
                snapshot.isKnown = true
            }
        }
    }

    private func change(_ body: (inout Snapshot) -> Void) {
        let (snapshot, readers) = self.state.with { state in
            body(&state.snapshot)
            return (state.snapshot, Array(state.readers.values))
        }
        for reader in readers { reader(snapshot) }
    }

    /// Stores an activity from a response of the simulator.
    @discardableResult
    func take(_ answer: [String: Any]) -> DeviceActivity? {
        self.attach()
        guard let activity = DeviceActivity(answer) else { return nil }
        self.link.betweenLooks {
            self.change { snapshot in
                snapshot.activities.removeAll { $0.id == activity.id }
                snapshot.activities.append(activity)
            }
        }
        self.link.look()
        return activity
    }

    /// Stores a push-to-start token from a response of the simulator.
    func take(startToken: String?, of type: String) {
        self.attach()
        self.link.betweenLooks { self.change { $0.startTokens[type] = startToken } }
        self.link.look()
    }

    /// A stream of the results of `read`, now and after each change, until `read` ends it.
    ///
    /// The stream omits the current result if `VirtualDeviceSession.repeatsPresent` is false.
    func updates<Element: Sendable>(
        _ read: @escaping @Sendable (Snapshot) -> (elements: [Element], isOver: Bool)
    ) -> AsyncStream<Element> {
        let (first, repeatsPresent) = (self.snapshot, self.link.repeatsPresent)
        let id = UUID()
        return AsyncStream { continuation in
            let reader: @Sendable (Snapshot, Bool) -> Void = { [weak self] snapshot, isTold in
                let found = read(snapshot)
                if isTold { for element in found.elements { continuation.yield(element) } }
                guard found.isOver else { return }
                continuation.finish()
                self?.state.with { $0.readers[id] = nil }
            }
            continuation.onTermination = { [weak self] _ in self?.state.with { $0.readers[id] = nil } }
            self.state.with { $0.readers[id] = { reader($0, true) } }
            reader(first, repeatsPresent)
            self.link.look()
        }
    }

    /// A stream of a value and its changes.
    func changes<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (Snapshot) -> Value?
    ) -> AsyncStream<Value> {
        let last = Locked<Value?>(nil)
        return self.updates { snapshot in
            last.with { last in
                guard let value = read(snapshot), value != last else { return ([], false) }
                last = value
                return ([value], false)
            }
        }
    }

    // MARK: Activities that the app received

    private var handedFile: URL? { self.link.place?.container.appendingPathComponent("activities-handed") }

    /// Records that the app received activities, also for later processes; returns the activities that are new.
    func hand(_ ids: [String]) -> [String] {
        guard !ids.isEmpty, let file = self.handedFile else { return [] }
        return self.state.with { _ in
            let known = Set(
                (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
            )
            let new = ids.filter { !known.contains($0) }
            guard !new.isEmpty else { return [] }
            try? FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try? Data((known.sorted() + new).joined(separator: "\n").utf8).write(to: file)
            return new
        }
    }
}

/// The iterator of the sequences in this shim; `next()` neither mutates it nor throws.
final class SharedIterator<Element>: @unchecked Sendable {
    private var iterator: AsyncStream<Element>.Iterator

    init(_ stream: AsyncStream<Element>) { self.iterator = stream.makeAsyncIterator() }

    func next() async -> Element? { await self.iterator.next() }
}
