// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@Suite("Control API: keys, faults and figures", .timeLimit(.minutes(20)))
struct ControlTests {
    private static let app = "com.example.app"

    private func push(
        _ simulator: APNsSimulator,
        key: SimulatorProviderKey? = nil
    ) async throws -> TestResponse {
        let device = try simulator.bootDevice(apps: [Self.app])
        let token = try #require(device.token(Self.app)).hex
        let jwt = try ProviderTokenFactory(key ?? simulator.demoKey).token(issuedAt: Date())
        let client = try await ProviderTestClient(simulator)
        let fields = PushRequest.fields(
            path: "/3/device/\(token)",
            others: [("authorization", "bearer \(jwt)"), ("apns-topic", Self.app)]
        )
        let response = try await client.send(fields, body: PushRequest.body)
        await client.close()
        return response
    }

    @Test("the simulator makes a key on demand, and trusts it")
    func makeKey() async throws {
        try await withTestSimulator { simulator in
            let answer = try await ControlClient(simulator).send("POST", "/v1/keys", #"{"teamID":"TEAM123456"}"#)
            #expect(answer.status == 201)
            #expect(answer.string("teamID") == "TEAM123456")
            let key = SimulatorProviderKey(
                keyID: try #require(answer.string("keyID")),
                teamID: "TEAM123456",
                p8: try #require(answer.string("p8"))
            )
            #expect(try await self.push(simulator, key: key).status == "200")
        }
    }

    @Test("a key is trusted by its public half or by its private one", arguments: [true, false])
    func ownKey(isPublic: Bool) async throws {
        try await withTestSimulator { simulator in
            let privateKey = P256.Signing.PrivateKey()
            let pem = isPublic ? privateKey.publicKey.pemRepresentation : privateKey.pemRepresentation
            let body = try JSONSerialization.data(withJSONObject: [
                "pem": pem, "keyID": "KEY1234567", "teamID": "TEAM123456",
            ])
            let answer = try await ControlClient(simulator)
                .send("POST", "/v1/keys", String(decoding: body, as: UTF8.self))
            #expect(answer.status == 201)
            #expect(answer.json["p8"] == nil)
            let key = SimulatorProviderKey(
                keyID: "KEY1234567",
                teamID: "TEAM123456",
                p8: privateKey.pemRepresentation
            )
            #expect(try await self.push(simulator, key: key).status == "200")
        }
    }

    @Test("a key for production is refused in the sandbox")
    func environments() async throws {
        try await withTestSimulator { simulator in
            let answer = try await ControlClient(simulator)
                .send("POST", "/v1/keys", #"{"environments":["production"]}"#)
            let key = SimulatorProviderKey(
                keyID: try #require(answer.string("keyID")),
                teamID: try #require(answer.string("teamID")),
                p8: try #require(answer.string("p8"))
            )
            #expect(try await self.push(simulator, key: key).reason == "BadEnvironmentKeyInToken")
        }
    }

    @Test("an identifier that is trusted is not given away")
    func takenKeyID() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            #expect(try await control.send("POST", "/v1/keys", #"{"keyID":"KEY1234567"}"#).status == 201)
            let again = try await control.send("POST", "/v1/keys", #"{"keyID":"KEY1234567"}"#)
            #expect(again.status == 409)
            #expect(again.string("code") == "already-taken")
            #expect(again.string("field") == "keyID")
            let related = #"{"relatedKeyID":"KEY1234567","topics":["com.example.app"]}"#
            #expect(try await control.send("POST", "/v1/keys", related).status == 201)
        }
    }

    @Test(
        "faults are listed as they were injected, and taken away",
        arguments: [
            #"{"action":"reject","reason":"TooManyRequests","count":3}"#,
            #"{"action":"reject","status":500,"reason":"InternalServerError","match":{"bundleID":"com.example.app"}}"#,
            #"{"action":"reject","reason":"Unregistered","timestamp":1760000000000}"#,
            #"{"action":"delay","milliseconds":250,"rate":0.5,"seed":42}"#,
            #"{"action":"goAway","reason":"IdleTimeout","code":0,"lastStreamID":7}"#,
            #"{"action":"reset","code":8,"deliversFirst":true}"#,
            #"{"action":"drop","match":{"token":"00ff"}}"#,
            #"{"action":"silence"}"#, #"{"action":"hold","count":1}"#,
        ]
    )
    func faults(body: String) async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let answer = try await control.send("POST", "/v1/faults", body)
            #expect(answer.status == 201)
            let listed = try #require(try await control.send("GET", "/v1/faults").objects("faults").first)
            let wanted = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
            for (name, value) in wanted {
                #expect(String(describing: listed[name] ?? "") == String(describing: value), "\(name)")
            }
            #expect(listed["id"] as? Int == 1)
            #expect(try await control.send("DELETE", "/v1/faults").status == 204)
            #expect(simulator.faults.isEmpty)
        }
    }

    @Test("a fault that came over HTTP strikes")
    func faultStrikes() async throws {
        try await withTestSimulator { simulator in
            let body =
                #"{"action":"reject","reason":"TooManyRequests","match":{"bundleID":"com.example.app"},"count":1}"#
            _ = try await ControlClient(simulator).send("POST", "/v1/faults", body)
            let response = try await self.push(simulator)
            #expect(response.status == "429")
            #expect(response.reason == "TooManyRequests")
        }
    }

    @Test(
        "an answer that is held back over HTTP goes out when the fault is deleted, alone or with all",
        arguments: [true, false]
    )
    func holdAndRelease(alone: Bool) async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let fault = try await control.send("POST", "/v1/faults", #"{"action":"hold","count":1}"#)
            #expect(fault.status == 201)
            let id = try #require(fault.json["id"] as? Int)
            var arrivals = simulator.deliveries().makeAsyncIterator()
            async let held = self.push(simulator)
            _ = await arrivals.next()
            // It is spent, and stays as long as it holds something back.
            let listed = try await control.send("GET", "/v1/faults").objects("faults")
            #expect(listed.map { $0["id"] as? Int } == [id])
            #expect(listed.first?["struck"] as? Int == 1)
            let path = alone ? "/v1/faults/\(id)" : "/v1/faults"
            #expect(try await control.send("DELETE", path).status == 204)
            let response = try await held
            #expect(response.status == "200")
            #expect(try await control.send("DELETE", "/v1/faults/\(id)").status == 404)
            #expect(simulator.faults.isEmpty)
        }
    }

    @Test("the health check answers, and the figures say what happened")
    func info() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            #expect(try await control.send("GET", "/healthz").string("status") == "ok")
            #expect(try await self.push(simulator).status == "200")
            let info = try await control.send("GET", "/v1/info")
            #expect(info.json["port"] as? Int == simulator.port)
            #expect(info.json["controlPort"] as? Int == simulator.controlPort)
            #expect(info.json["channelPort"] as? Int == simulator.channelPort)
            #expect(info.json["gatewayPort"] is NSNull)
            #expect(info.json["feedbackPort"] is NSNull)
            #expect(info.json["courierPort"] is NSNull)
            #expect(info.string("environment") == "sandbox")
            #expect(info.string("caPEM") == simulator.caPEM)
            #expect(info.object("demoKey")["keyID"] as? String == simulator.demoKey.keyID)
            let counters = info.object("counters")
            #expect(counters["accepted"] as? Int == 1)
            #expect(counters["connections"] as? Int == 1)
            #expect(info.object("switches")["pastExpiration"] as? String == "accept")
        }
    }

    @Test("the feed is one JSON object a line, live", arguments: [nil, "text/event-stream"])
    func deliveries(accept: String?) async throws {
        try await withTestSimulator { simulator in
            let response = try await ControlClient(simulator).deliveries(accept: accept)
            #expect(response.headers.first(name: "content-type") == accept ?? "application/x-ndjson")
            #expect(try await self.push(simulator).status == "200")
            #expect(try await self.push(simulator).status == "200")
            var text = ""
            for try await buffer in response.body {
                text += String(buffer: buffer)
                if text.split(separator: "\n").count >= (accept == nil ? 2 : 6) { break }
            }
            let lines = text.split(separator: "\n").filter { accept == nil || $0.hasPrefix("data: ") }
            let objects = try lines.map { line in
                let json = Data(line.drop { $0 != "{" }.utf8)
                return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
            }
            #expect(objects.compactMap { $0["sequence"] as? Int } == [1, 2])
            #expect(objects.allSatisfy { $0["bundleID"] as? String == Self.app && $0["device"] is String })
            #expect(objects.allSatisfy { ($0["payload"] as? [String: Any])?["n"] as? Int == 1 })
        }
    }
}
