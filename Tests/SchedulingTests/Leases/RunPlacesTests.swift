// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import Scheduling

@Suite("The places at which leased runs work", .timeLimit(.minutes(5)))
struct RunPlacesTests {
    @Test("are left while there is nothing to do, and taken again in the order in which they are asked for")
    func order() async {
        let places = RunPlaces(count: 1)
        #expect(places.takeRoom() == 1)
        let first = places.begin()
        #expect(places.takeRoom() == 0)
        first.leave()
        #expect(places.takeRoom() == 1)
        let second = places.begin()
        let third = places.begin(isWorking: false)
        #expect(places.load == 3)
        #expect(!first.request())
        #expect(!third.request())
        second.leave()
        await first.granted()
        #expect(first.request())
        #expect(!second.request())
        first.end(isNews: true)
        await third.granted()
        third.end(isNews: true)
        await second.granted()
        second.end(isNews: true)
        #expect(places.takeRoom() == 1)
        #expect(places.load == 1)
    }

    @Test("that were all taken are told of when one is left; and of others nobody is told")
    func shortage() async {
        let places = RunPlaces(count: 2)
        var wakeups = places.wakeups.makeAsyncIterator()
        await wakeups.next()
        let runs = (0..<2).map { _ in places.begin() }
        #expect(places.takeRoom() == 0)
        runs[0].leave()
        await wakeups.next()
        #expect(runs[0].request())
        // Nobody has looked for a place since: only the end of the run tells.
        runs[0].leave()
        runs[1].leave()
        places.close()
        var more = 0
        while await wakeups.next() != nil { more += 1 }
        #expect(more == 0)
    }

    @Test("are bounded by how many runs there may be, whether they work or not")
    func bounded() {
        let places = RunPlaces(count: 4)
        let runs = (0..<RunPlaces.mostRuns - 1).map { _ in places.begin(isWorking: false) }
        #expect(places.takeRoom() == 1)
        #expect(places.load == 250)
        let last = places.begin()
        last.leave()
        #expect(places.takeRoom() == 0)
        runs[0].end(isNews: true)
        #expect(places.takeRoom() == 1)
    }

    @Test("that are closed let everybody go on to his end, and nobody begin")
    func closed() async {
        let places = RunPlaces(count: 1)
        let working = places.begin()
        let waiting = places.begin(isWorking: false)
        #expect(!waiting.request())
        places.close()
        await waiting.granted()
        #expect(places.takeRoom() == 0)
        working.leave()
        #expect(working.request())
        working.end(isNews: false)
        waiting.end(isNews: false)
    }

    @Test("are not kept for one that gave up waiting")
    func cancelled() async {
        let places = RunPlaces(count: 1)
        let working = places.begin()
        let waiting = places.begin(isWorking: false)
        #expect(!waiting.request())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await waiting.granted() }
            group.cancelAll()
        }
        waiting.end(isNews: false)
        working.leave()
        #expect(places.takeRoom() == 1)
        #expect(working.request())
        working.end(isNews: false)
    }
}
