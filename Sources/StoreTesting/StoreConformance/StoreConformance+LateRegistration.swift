// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let lateRegistration = [
        Check("a registration that is told later keeps its time, and a 410 behind that time makes it invalid") {
            store in
            try await store.addSampleApp()
            let stored = try await store.register([try Self.late("phone", token: 0, at: -60)], now: StoreSamples.now)
            try expectEqual(stored, 1, "how many were stored")
            let device = try require(try await store.device("phone", of: StoreSamples.app), "the device")
            try expectEqual(device.registeredAt, StoreSamples.after(-60), "registeredAt")
            try expectEqual(device.seenAt, StoreSamples.after(-60), "seenAt")
            try expectEqual(device.createdAt, StoreSamples.now, "createdAt")
            try expectEqual(device.status, .active, "the status")
        },
        Check("a registration that is told later gives way to a younger one of the installation or of the token") {
            store in
            try await store.addSampleApp()
            let young = try StoreSamples.registration("young", token: 1, profile: DeviceProfile(userID: "young"))
            try await store.register(young, now: StoreSamples.now)
            let old = try StoreSamples.registration("old", token: 2)
            try await store.register(old, now: StoreSamples.after(-100))
            let stored = try await store.register(
                [
                    try Self.late("young", token: 3, at: -1), try Self.late("thief", token: 1, at: -1),
                    try Self.late("young", token: 1, at: -1), try Self.late("old", token: 4, at: -50),
                    try Self.late("new", token: 2, at: -50),
                ],
                now: StoreSamples.after(10)
            )
            try expectEqual(stored, 2, "how many were stored")
            let kept = try require(try await store.device("young", of: StoreSamples.app), "the younger device")
            try expectEqual(kept.profile.userID, "young", "its user")
            try expectEqual(kept.token, young.token, "its token")
            try expectEqual(try await store.device("thief", of: StoreSamples.app), nil, "the other holder of its token")
            let moved = try await store.device("old", of: StoreSamples.app)
            try expectEqual(moved?.token, try StoreSamples.token(4), "the token of the older device")
            try expectEqual(moved?.createdAt, StoreSamples.after(-100), "its first registration")
            let new = try await store.device("new", of: StoreSamples.app)
            try expectEqual(new?.token, try StoreSamples.token(2), "the token that is free since")
        },
        Check("a registration that is told later takes the place of one of the same time") { store in
            try await store.addSampleApp()
            try await store.register([try Self.late("phone", token: 1, at: -5)], now: StoreSamples.now)
            let stored = try await store.register(
                [try Self.late("phone", token: 2, at: -5)],
                now: StoreSamples.after(1)
            )
            try expectEqual(stored, 1, "how many were stored")
            let device = try await store.device("phone", of: StoreSamples.app)
            try expectEqual(device?.token, try StoreSamples.token(2), "the token")
        },
        Check("of copies from a place that tells no times the last counts, before all that apps say themselves") {
            store in
            try await store.addSampleApp()
            let copies = [try Self.copy("phone", token: 1, at: 900), try Self.copy("phone", token: 2, at: 7)]
            for copy in copies {
                try expectEqual(try await store.register([copy], now: StoreSamples.now), 1, "how many were stored")
            }
            let stored = try await store.register(
                [try Self.copy("heir", token: 2, at: 3), try Self.copy("phone", token: 4, at: 2)],
                now: StoreSamples.now
            )
            try expectEqual(stored, 2, "how many were stored")
            let heir = try await store.device("heir", of: StoreSamples.app)
            try expectEqual(heir?.registeredAt, Date(millisecondsSince1970: 3), "registeredAt")
            try await store.register(try StoreSamples.registration("heir", token: 5), now: StoreSamples.now)
            let late = try await store.register([try Self.copy("heir", token: 6, at: 9)], now: StoreSamples.now)
            try expectEqual(late, 0, "how many were stored behind the app's own word")
        },
    ]

    private static func copy(
        _ installation: InstallationID,
        token number: Int,
        at milliseconds: Int64
    ) throws -> DeviceRegistration {
        var registration = try StoreSamples.registration(installation, token: number)
        registration.registeredAt = Date(millisecondsSince1970: milliseconds)
        return registration
    }

    private static func late(
        _ installation: InstallationID,
        token number: Int,
        at seconds: Double
    ) throws -> DeviceRegistration {
        var registration = try StoreSamples.registration(installation, token: number)
        registration.registeredAt = StoreSamples.after(seconds)
        return registration
    }
}
