// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Testing

@testable import APNsSimulator

@Suite("Control API: who may call it", .timeLimit(.minutes(20)))
struct ControlAccessTests {
    typealias Headers = [(name: String, value: String)]

    /// Calls that a page of another site can have a browser make without asking first.
    static let foreignCalls: [(path: String, body: String?, headers: [String: String], status: Int, code: String)] = [
        ("/v1/reset", nil, ["origin": "https://evil.example"], 403, "foreign-origin"),
        ("/v1/reset", nil, ["origin": "null"], 403, "foreign-origin"),
        ("/v1/reset", nil, ["origin": "http://localhost.evil.example:8090"], 403, "foreign-origin"),
        ("/v1/reset", nil, ["sec-fetch-site": "cross-site"], 403, "foreign-origin"),
        ("/v1/reset", nil, ["host": "rebound.example:8090"], 421, "foreign-host"),
        ("/v1/reset", nil, ["host": "127.0.0.1.evil.example"], 421, "foreign-host"),
        ("/v1/reset", nil, ["host": "192.0.2.7:8090"], 421, "foreign-host"),
        ("/v1/reset", "{}", ["content-type": "text/plain"], 415, "unsupported-media-type"),
        ("/v1/reset", "{}", ["content-type": "text/plain; a=application/json"], 415, "unsupported-media-type"),
        ("/v1/reset", "{}", ["content-type": "application/x-www-form-urlencoded"], 415, "unsupported-media-type"),
        ("/v1/reset", "{}", [:], 415, "unsupported-media-type"),
        ("/v1/devices", #"{"apps":[]}"#, ["content-type": "multipart/form-data"], 415, "unsupported-media-type"),
    ]

    @Test(
        "what a page of another site can send is refused, and changes nothing",
        arguments: 0..<Self.foreignCalls.count
    )
    func foreign(number: Int) async throws {
        let call = Self.foreignCalls[number]
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: ["com.example.app"])
            let headers: Headers = call.headers.map { ($0.key, $0.value) }
            let answer = try await ControlClient(simulator).send("POST", call.path, call.body, headers: headers)
            #expect(answer.status == call.status)
            #expect(answer.contentType == "application/problem+json")
            #expect(answer.string("code") == call.code)
            #expect(simulator.device(device.id) != nil)
            #expect(simulator.devices()?.count == 1)
        }
    }

    @Test(
        "a program, a page of this machine and a health check are served",
        arguments: [
            [:], ["host": "LOCALHOST"], ["host": "localhost.:99"], ["host": "simulator.localhost"],
            ["host": "127.1.2.3:8090"], ["host": "[::1]:8090"], ["host": "[0:0:0:0:0:0:0:1]"],
            ["origin": "http://localhost:3000", "sec-fetch-site": "same-site"], ["origin": "http://127.0.0.1:8090"],
            ["sec-fetch-site": "none"], ["content-type": "Application/JSON; charset=utf-8"],
            ["content-type": "application/merge-patch+json"],
        ] as [[String: String]]
    )
    func own(headers: [String: String]) async throws {
        try await withTestSimulator { simulator async throws in
            let control = ControlClient(simulator)
            var all: Headers = [("content-type", "application/json")]
            all.removeAll { headers[$0.name] != nil }
            for (name, value) in headers { all.append((name, value)) }
            #expect(try await control.send("POST", "/v1/devices", #"{"apps":[]}"#, headers: all).status == 201)
            let bodyless = all.filter { $0.name != "content-type" }
            #expect(try await control.send("POST", "/v1/reset", headers: bodyless).status == 204)
            #expect(try await control.send("GET", "/healthz", headers: bodyless).status == 200)
        }
    }

    @Test("further hosts can be named, and may have pages of their own")
    func named() async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.controlHosts = ["Simulator.test"]
        try await withSilentSimulator(configuration) { simulator in
            let control = ControlClient(simulator)
            let headers: Headers = [("host", "simulator.test:8090"), ("origin", "http://simulator.test:8090")]
            #expect(try await control.send("POST", "/v1/reset", headers: headers).status == 204)
            let other = try await control.send("POST", "/v1/reset", headers: [("host", "other.test:8090")])
            #expect(other.status == 421)
            #expect(other.string("field") == "Host")
        }
    }

    @Test("on all addresses every address is its own, and a page of another address is still foreign")
    func allAddresses() {
        for host in ["0.0.0.0", "::", "0:0:0:0:0:0:0:0"] {
            let hosts = ControlHosts(listeningOn: host, names: [])
            #expect(hosts.admits("192.0.2.7:8090"))
            #expect(hosts.admits("[2001:db8::7]:8090"))
            #expect(!hosts.admits("evil.example"))
            #expect(hosts.admits(origin: "http://192.0.2.7:8090", to: "192.0.2.7:8090"))
            #expect(!hosts.admits(origin: "http://198.51.100.1", to: "192.0.2.7:8090"))
        }
        let one = ControlHosts(listeningOn: "192.0.2.7", names: [])
        #expect(one.admits("192.0.2.7:8090"))
        #expect(!one.admits("192.0.2.8:8090"))
    }

    @Test(
        "what is no host and no origin is refused",
        arguments: [
            "", ":", "[", "[]", "[::1", "[::1]x", "localhost:x", "localhost:80:80", "user@localhost", "localhost/",
            "localhost\u{0}", "127.0.0.1\u{0}.evil.example", "1::1::1", "\u{0661}27.0.0.1", "ftp://localhost",
        ]
    )
    func malformed(text: String) {
        let hosts = ControlHosts(listeningOn: "127.0.0.1", names: [])
        #expect(!hosts.admits(text))
        #expect(!hosts.admits(origin: text, to: "localhost"))
        #expect(!hosts.admits(origin: "http://" + text, to: "localhost"))
    }
}
