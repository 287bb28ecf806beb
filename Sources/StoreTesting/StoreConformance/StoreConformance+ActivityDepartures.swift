// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let activityDepartures = [
        Check("a phone whose app tells that it shows an activity no more is gone, and the others go on") { store in
            try await store.addLesson(phones: [1, 2])
            let first = ActivityDeparture(installation: ActivitySamples.phone(1), reason: .dismissed)
            let isGone = try await store.leave(first)
            try expect(isGone, "the phone does not leave")
            try expectEqual(try await store.phones().map(\.state), [.gone(reason: "dismissed"), .active], "the phones")
            let again = try await store.leave(ActivityDeparture(installation: first.installation, reason: .ended))
            try expect(!again, "the phone leaves twice")
            let story = try await store.story()
            try expectEqual(story.last?.kind, .participantGone, "the last entry")
            try expectEqual(story.last?.installation, first.installation, "its phone")
            try expectEqual(story.last?.detail, "dismissed", "its reason")
            let told = try await store.allEvents(kinds: [.activityPhoneGone])
            try expectEqual(told.map { $0.data["reason"] }, [.string("dismissed")], "what the feed tells")
            let change = try await store.change(ActivitySamples.state(#"{"n":2}"#))
            try expectEqual([change.sent, change.waiting], [1, 0], "what is sent then")
            // Its app starts the activity anew.
            let receipt = try await store.tell(ActivitySamples.upload(1, token: 7), now: StoreSamples.after(9))
            try expectEqual(receipt?.sent, 1, "what is sent to it when it is back")
            try expectEqual(try await store.phones().map(\.state), [.active, .active], "the phones at the end")
        },
        Check("what is told late of a phone that left does not undo a younger token, nor an old token its leaving") {
            store in
            try await store.addLesson(phones: [])
            _ = try await store.tell(ActivitySamples.upload(1, issued: 10), now: StoreSamples.after(10))
            let phone = ActivitySamples.phone(1)
            let late = ActivityDeparture(installation: phone, reason: .ended, time: StoreSamples.after(5))
            let isGone = try await store.leave(late, now: StoreSamples.after(11))
            try expect(!isGone, "a late word ends a younger one")
            let next = ActivityDeparture(installation: phone, reason: .ended, time: StoreSamples.after(20))
            let isGoneThen = try await store.leave(next, now: StoreSamples.after(21))
            try expect(isGoneThen, "the phone does not leave")
            _ = try await store.tell(ActivitySamples.upload(1, token: 8, issued: 15), now: StoreSamples.after(22))
            let phones = try await store.phones()
            try expectEqual(phones.map(\.state), [.gone(reason: "ended")], "the phone by an old token")
        },
        Check("nothing is told of a phone that takes no part, nor of an activity that is over or unknown") { store in
            try await store.addLesson(phones: [1])
            let stranger = ActivityDeparture(installation: ActivitySamples.phone(9), reason: .ended)
            try expect(try await !store.leave(stranger), "a stranger leaves")
            let phone = ActivityDeparture(installation: ActivitySamples.phone(1), reason: .ended)
            let unknown = try await store.leave(phone, from: "unknown", of: StoreSamples.app, now: StoreSamples.now)
            try expect(!unknown, "a phone leaves an unknown activity")
            _ = try await store.change(ActivitySamples.patch("{}", end: .immediate))
            let count = try await store.story().count
            try expect(try await !store.leave(phone), "a phone leaves an activity that is over")
            try expectEqual(try await store.story().count, count, "the entries")
            try await expectError(.notFound, "a phone of an unknown app") {
                let app = StoreSamples.otherApp
                _ = try await store.leave(phone, from: ActivitySamples.lesson, of: app, now: StoreSamples.now)
            }
        },
    ]
}
