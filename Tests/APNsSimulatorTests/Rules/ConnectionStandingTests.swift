// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Stream grants and penalties")
struct ConnectionStandingTests {
    private static let badToken = Rejection(.badDeviceToken)

    private static func opened(_ switches: ConnectionOptions = ConnectionOptions()) -> ConnectionThrottle {
        var standing = ConnectionThrottle(initial: 1, maximum: 1000)
        _ = standing.succeeded(switches)
        return standing
    }

    @Test("the first success grants all streams, and only the first says so")
    func firstSuccess() {
        var standing = ConnectionThrottle(initial: 1, maximum: 1000)
        #expect(standing.granted == 1)
        #expect(standing.succeeded(ConnectionOptions()) == .grant(1000))
        #expect(standing.succeeded(ConnectionOptions()) == nil)
    }

    @Test("with a factor the grant grows with each success until it is whole")
    func growth() {
        var switches = ConnectionOptions()
        switches.grantFactor = 10
        var standing = ConnectionThrottle(initial: 1, maximum: 1000)
        let actions = (0..<4).map { _ in standing.succeeded(switches) }
        #expect(actions == [.grant(10), .grant(100), .grant(1000), nil])
    }

    @Test("a certificate grants all streams at once")
    func certificate() {
        var standing = ConnectionThrottle(initial: 1, maximum: 1000)
        #expect(standing.trusted() == .grant(1000))
    }

    @Test(
        "what an answer costs",
        arguments: [
            (Rejection(.badTopic), 1), (Rejection(.badDeviceToken), 2), (Rejection(.tooManyRequests), 1),
            (Rejection(.invalidProviderToken), 1), (Rejection(.unregistered), 0), (Rejection(.expiredToken), 0),
            (Rejection(.internalServerError), 0), (Rejection(.serviceUnavailable), 0),
        ] as [(Rejection, Double)]
    )
    func cost(rejection: Rejection, points: Double) {
        var standing = Self.opened()
        _ = standing.failed(rejection, ConnectionOptions())
        #expect(standing.points == points)
    }

    @Test("errors halve the grant, again and again, down to one stream, and then end the connection")
    func shrinking() {
        var standing = Self.opened()
        var grants: [UInt32] = []
        var errors = 0
        while true {
            errors += 1
            switch standing.failed(Rejection(.badTopic), ConnectionOptions()) {
            case .grant(let streams):
                grants.append(streams)
                #expect(errors.isMultiple(of: 100))
            case .goAway(let reason):
                #expect(reason == .tooManyRequests)
                #expect(errors == 1000)
                #expect(grants == [500, 250, 125, 62, 31, 15, 7, 3, 1])
                return
            case nil: continue
            }
        }
    }

    @Test("bad device tokens end the connection with half as many")
    func badDeviceTokens() {
        var standing = Self.opened()
        var errors = 0
        repeat { errors += 1 } while standing.failed(Self.badToken, ConnectionOptions()) != .goAway(.tooManyRequests)
        #expect(errors == 500)
        #expect(standing.badDeviceTokens == 500)
    }

    @Test("410 never shrinks the grant nor ends the connection")
    func gone() {
        var standing = Self.opened()
        for _ in 0..<100_000 { #expect(standing.failed(Rejection(.unregistered), ConnectionOptions()) == nil) }
        #expect(standing.gone == 100_000)
        #expect(standing.granted == 1000)
    }

    @Test("one bad token in a hundred, and one in twenty-five, never costs a stream", arguments: [100, 25])
    func ordinaryTraffic(oneIn: Int) {
        var standing = Self.opened()
        for index in 1...200_000 {
            let isBad = index.isMultiple(of: oneIn)
            let action = isBad ? standing.failed(Self.badToken, .init()) : standing.succeeded(.init())
            #expect(action == nil)
        }
    }

    @Test("a connection that only fails for a while gets its streams back with successes")
    func recovery() {
        var standing = Self.opened()
        for _ in 0..<300 { _ = standing.failed(Rejection(.badTopic), ConnectionOptions()) }
        #expect(standing.granted == 125)
        var grants: [UInt32] = []
        for _ in 0..<10_000 {
            if case .grant(let streams) = standing.succeeded(ConnectionOptions()) { grants.append(streams) }
        }
        #expect(grants == [250, 500, 1000])
        #expect(standing.points == 0)
    }

    @Test("a grant does not swing when answers do")
    func hysteresis() {
        var standing = Self.opened()
        for _ in 0..<100 { _ = standing.failed(Rejection(.badTopic), ConnectionOptions()) }
        #expect(standing.granted == 500)
        for index in 0..<100 {
            let action =
                index.isMultiple(of: 2)
                ? standing.succeeded(ConnectionOptions()) : standing.failed(Rejection(.badTopic), ConnectionOptions())
            if index < 90 { #expect(action == nil) }
        }
    }

    @Test("without penalties nothing is taken away")
    func withoutPenalties() {
        var switches = ConnectionOptions()
        switches.penalizesErrors = false
        var standing = Self.opened(switches)
        for _ in 0..<10_000 { #expect(standing.failed(Self.badToken, switches) == nil) }
        #expect(standing.errors == 10_000)
    }
}
