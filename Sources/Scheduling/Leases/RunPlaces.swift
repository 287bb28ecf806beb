// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// Who of the leased runs works: so many at once, while the others have nothing to do, or wait for their turn.
///
/// A run that waits for something else leaves its place to others and keeps its lease. So runs that are stuck keep nobody
/// from being begun, however many they are up to ``mostRuns``.
final class RunPlaces: Sendable {
    /// How many runs there may be at once, whether they work or wait.
    static let mostRuns = 1000

    fileprivate enum Standing {
        case working
        case queued
        case away
    }

    private struct State {
        var standings: [ObjectIdentifier: Standing] = [:]
        var working = 0
        /// Those that ask for a place, in the order in which they did.
        var queue: [RunPlace] = []
        /// Whether more may wait to be begun than there was room for.
        var isShort = false
        var isClosed = false
    }

    private let count: Int
    private let state = Mutex(State())
    private let wake: AsyncStream<Void>.Continuation

    /// Yields whenever a claim may make sense; ends when the places are closed.
    let wakeups: AsyncStream<Void>

    /// Places that are all free, and a claim that may make sense.
    ///
    /// `count` is the number of runs that may work at once, 1...1000.
    init(count: Int) {
        self.count = min(max(1, count), Self.mostRuns)
        // One wake-up that waits stands for all.
        (self.wakeups, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake.yield()
    }

    /// How many times as many runs there are as may work at once: at least 1.
    var load: Int { self.state.withLock { max(1, ($0.standings.count + self.count - 1) / self.count) } }

    /// How many runs may be begun; where there are none, it is said when there may be one.
    func takeRoom() -> Int {
        self.state.withLock { state in
            let room = min(self.count - state.working, Self.mostRuns - state.standings.count)
            if room <= 0 { state.isShort = true }
            return state.isClosed ? 0 : max(0, room)
        }
    }

    /// A claim may make sense.
    func signal() { self.wake.yield() }

    /// As much was claimed as there was room for: there may be more, to be claimed as soon as there is room again.
    func noteShortage() {
        let isFree = self.state.withLock { state in
            state.isShort = state.working >= self.count || state.standings.count >= Self.mostRuns
            return !state.isShort
        }
        if isFree { self.wake.yield() }
    }

    /// A run begins.
    ///
    /// A run that is not working at once has yet to ask for a place.
    /// - Returns: its place; ``RunPlace/end(isNews:)`` has to follow.
    func begin(isWorking: Bool = true) -> RunPlace {
        let place = RunPlace(of: self)
        self.state.withLock { state in
            state.standings[ObjectIdentifier(place)] = isWorking ? .working : .away
            if isWorking { state.working += 1 }
        }
        return place
    }

    /// Nothing is begun any more, and nobody waits for a place.
    func close() {
        let queue = self.state.withLock { state in
            state.isClosed = true
            defer { state.queue = [] }
            for place in state.queue { state.standings[ObjectIdentifier(place)] = .away }
            return state.queue
        }
        for place in queue { place.grant() }
        self.wake.finish()
    }

    // MARK: For a place

    fileprivate func request(_ place: RunPlace) -> Bool {
        self.state.withLock { state in
            switch state.standings[ObjectIdentifier(place)] {
            case .working, nil: return true
            case .queued: return false
            case .away: break
            }
            if state.isClosed { return true }
            guard state.working < self.count else {
                state.standings[ObjectIdentifier(place)] = .queued
                state.queue.append(place)
                return false
            }
            state.standings[ObjectIdentifier(place)] = .working
            state.working += 1
            return true
        }
    }

    fileprivate func leave(_ place: RunPlace) {
        let isWanted =
            self.free(place, as: .away)
            && self.state.withLock { state in
                defer { state.isShort = false }
                return state.isShort
            }
        if isWanted { self.wake.yield() }
    }

    fileprivate func end(_ place: RunPlace, isNews: Bool) {
        _ = self.free(place, as: nil)
        if isNews { self.wake.yield() }
    }

    /// Gives what a run has to whoever asked first.
    ///
    /// - Returns: whether nobody did, so that there is room for another run.
    private func free(_ place: RunPlace, as standing: Standing?) -> Bool {
        let (next, isFree) = self.state.withLock { state -> (RunPlace?, Bool) in
            switch state.standings[ObjectIdentifier(place)] {
            case .working: state.working -= 1
            case .queued: state.queue.removeAll { $0 === place }
            case .away, nil: break
            }
            state.standings[ObjectIdentifier(place)] = standing
            guard state.working < self.count else { return (nil, false) }
            guard !state.queue.isEmpty else { return (nil, true) }
            let next = state.queue.removeFirst()
            state.standings[ObjectIdentifier(next)] = .working
            state.working += 1
            return (next, false)
        }
        next?.grant()
        return isFree
    }
}

/// What one run works at; used by one task at a time.
final class RunPlace: Sendable {
    private let places: RunPlaces
    private let turns: AsyncStream<Void>
    private let turn: AsyncStream<Void>.Continuation

    fileprivate init(of places: RunPlaces) {
        self.places = places
        (self.turns, self.turn) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var load: Int { self.places.load }

    /// There is nothing to do for now: others may work.
    func leave() { self.places.leave(self) }

    /// Asks for a place to work at again.
    ///
    /// - Returns: whether the run has one; otherwise ``granted()`` waits for it.
    func request() -> Bool { self.places.request(self) }

    /// Waits for the place that was asked for; no longer when the task is cancelled or the places are closed.
    func granted() async { for await _ in self.turns { return } }

    /// Ends the run.
    ///
    /// `isNews` tells whether a claim may make sense now.
    func end(isNews: Bool) { self.places.end(self, isNews: isNews) }

    fileprivate func grant() { self.turn.yield() }
}

/// How many runs may still go on at once, and what wakes the loop that claims them.
final class RunSlots: Sendable {
    private let count: Mutex<Int>
    private let wake: AsyncStream<Void>.Continuation

    /// Yields whenever a claim may make sense; ends when the slots are closed.
    let wakeups: AsyncStream<Void>

    /// Slots that are all free, and a claim that may make sense.
    init(count: Int) {
        self.count = Mutex(min(max(1, count), 1000))
        // One wake-up that waits stands for all.
        (self.wakeups, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake.yield()
    }

    var free: Int { self.count.withLock { $0 } }

    /// A claim may make sense.
    func signal() { self.wake.yield() }

    func take() { self.count.withLock { $0 -= 1 } }

    /// Frees a slot; others may have waited for it.
    func giveBack() {
        self.count.withLock { $0 += 1 }
        self.wake.yield()
    }

    /// Nothing is claimed any more.
    func close() { self.wake.finish() }
}
