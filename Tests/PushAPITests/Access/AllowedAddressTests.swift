// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("Keys with allowed addresses", .timeLimit(.minutes(20)))
struct AllowedAddressTests {
    private static let devices = "/v1/apps/\(TestAPI.app)/devices"

    private static func key(_ api: TestAPI, allowing ranges: String, more: String = "") async throws -> Answer {
        let body = #"{"name":"office","scopes":["read","send"],"allowedAddresses":\#(ranges)\#(more)}"#
        return try await api.call(.post, "/v1/keys", body)
    }

    @Test("work from these addresses only")
    func addresses() async throws {
        var setup = TestSetup()
        setup.hasSocket = true
        try await withAPI(setup) { api async throws in
            let near = try await Self.key(api, allowing: #"["192.0.2.0/24","127.0.0.1"]"#)
            #expect(near.status == 201)
            #expect(near.json["allowedAddresses"] == ["192.0.2.0/24", "127.0.0.1/32"])
            let far = try await Self.key(api, allowing: #"["192.0.2.0/24","2001:db8::/32","::1"]"#)
            let nearKey = try #require(near.json["key"]?.text)
            let farKey = try #require(far.json["key"]?.text)
            #expect(try await api.call(.get, Self.devices, key: nearKey).status == 200)
            for path in [Self.devices, "/v1/keys", "/v1/apps/com.example.none/devices"] {
                let refused = try await api.call(.get, path, key: farKey)
                #expect(refused.status == 403, "\(path)")
                #expect(refused.code == "address_not_allowed", "\(path)")
            }
            let stream = try await RawClient.stream(api, query: "", key: farKey)
            #expect(await stream.read(until: "address_not_allowed").contains("403 "))
            // The server may have closed it.
            try? await stream.channel.close()
            // A wrong secret reveals nothing about the addresses.
            let wrong = String(farKey.dropLast(8)) + "00000000"
            #expect(try await api.call(.get, Self.devices, key: wrong).code == "invalid_api_key")
            let list = try await api.call(.get, "/v1/keys").json["keys"]?.elements ?? []
            let shown = list.first { $0["id"] == far.json["id"] }
            #expect(shown?["allowedAddresses"] == ["192.0.2.0/24", "2001:db8::/32", "::1/128"])
        }
    }

    @Test(
        "have ranges without bits after the prefix, at most 64",
        arguments: [
            (#"[]"#, "allowedAddresses"), (#"["192.0.2.1/24"]"#, "allowedAddresses[0]"),
            (#"["::1","example.com"]"#, "allowedAddresses[1]"), (#""::1""#, "allowedAddresses"),
            ("[\(Array(repeating: #""::1""#, count: 65).joined(separator: ","))]", "allowedAddresses"),
        ]
    )
    func invalid(_ ranges: String, _ field: String) async throws {
        try await withAPI { api async throws in
            let answer = try await Self.key(api, allowing: ranges)
            #expect(answer.status == 422)
            #expect(answer.fields == [field])
        }
    }

    @Test("limit the sessions of the console too")
    func console() async throws {
        var setup = TestSetup()
        setup.configuration.console = .all
        let masterKey = try #require(setup.masterKey)
        try await withAPI(setup) { api async throws in
            // A request without an address, as all requests of this test, is refused.
            let created = try await Self.key(api, allowing: #"["127.0.0.0/8"]"#)
            let id = try #require(created.json["id"]?.text.flatMap(APIKeyID.init(rawValue:)))
            let session = ConsoleSession(key: id, startedAt: TestTime.start)
            let cookie = try #require(session.text(masterKey: masterKey))
            var headers: HTTPFields = [.cookie: "__Host-apus-console=\(cookie); apus-console=\(cookie)"]
            headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
            let answer = try await api.client.answer(to: .get, Self.devices, headers: headers, body: nil)
            #expect(answer.code == "address_not_allowed")
            headers[try #require(HTTPField.Name("X-Apus-Console"))] = "1"
            headers[.contentType] = "application/json"
            headers[.cookie] = nil
            let key = try #require(created.json["key"]?.text)
            let body = ByteBuffer(string: #"{"key":"\#(key)"}"#)
            let signIn = try await api.client.answer(to: .post, "/console/session", headers: headers, body: body)
            #expect(signIn.code == "address_not_allowed")
        }
    }

    @Test("limit signed requests to the SNS endpoint too")
    func sns() async throws {
        try await withAPI { api async throws in
            var client = try await SNSClient(api)
            #expect(try await client.call("ListTopics").status == 200)
            let more = #","accessKey":true"#
            let created = try await Self.key(api, allowing: #"["127.0.0.0/8"]"#, more: more)
            client.accessKeyID = try #require(created.json["accessKeyID"]?.text)
            client.secret = try #require(created.json["secretAccessKey"]?.text)
            let refused = try await client.call("ListTopics")
            #expect(refused.status == 403)
            #expect(refused.code == "AuthorizationError")
        }
    }
}
