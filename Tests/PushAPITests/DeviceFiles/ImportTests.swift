// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("An import of devices", .timeLimit(.minutes(20)))
struct ImportTests {
    static let path = "/v1/apps/\(TestAPI.app)/devices:import"

    static func send(
        _ api: TestAPI,
        _ lines: [String],
        query: String = "",
        type: String = "application/x-ndjson"
    ) async throws -> StreamAnswers {
        let answer = try await api.call(
            .post,
            Self.path + query,
            bytes: ByteBuffer(string: lines.map { $0 + "\n" }.joined()),
            headers: [.contentType: type]
        )
        #expect(answer.status == 200, "\(answer.text)")
        let answers = StreamAnswers(answer.text)
        let faults = answers.lines.flatMap { OpenAPISpecification.shared.faults(of: $0, as: "ImportLine") }
        #expect(faults.isEmpty)
        return answers
    }

    private static func line(_ number: Int, _ more: String = "") -> String {
        #"{"device":"i\#(number)","token":"\#(String(format: "%064x", number))"\#(more)}"#
    }

    static func counts(_ end: JSONValue?) -> [Int?] {
        ["linesRead", "imported", "skippedOlder", "rejected"].map { end?[$0]?.number }
    }

    @Test("registers what each line says, by the rules of a registration", arguments: TestStoreBackend.allCases)
    func whole(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let more = """
                ,"environment":"production","platform":"iOS","appVersion":"2.1","systemVersion":"18.1",\
                "locale":"ja-JP","timeZone":"Asia/Tokyo",\
                "userID":"u1","tags":{"plan":"gold"},"topics":["news","alerts"],"registeredAt":"2025-06-07T08:09:10.123Z"
                """
            let answers = try await Self.send(api, [Self.line(1, more), "", Self.line(2)])
            #expect(answers.lines.count == 1)
            #expect(answers.end?["reason"]?.text == "completed")
            #expect(Self.counts(answers.end) == [3, 2, 0, 0])
            let device = try #require(try await api.store.device("i1", of: TestAPI.app))
            #expect(device.environment == .production)
            #expect(
                device.profile
                    == DeviceProfile(
                        platform: .iOS,
                        appVersion: "2.1",
                        systemVersion: "18.1",
                        locale: "ja-JP",
                        timeZone: "Asia/Tokyo",
                        userID: "u1",
                        tags: ["plan": "gold"],
                        topics: ["news", "alerts"]
                    )
            )
            #expect(device.registeredAt == Date(millisecondsSince1970: 1_749_283_750_123))
            let other = try #require(try await api.store.device("i2", of: TestAPI.app))
            #expect(other.environment == .sandbox)
            #expect(other.registeredAt == Date(timeIntervalSince1970: 0))
        }
    }

    @Test("refuses a line that is wrong with its number, field, rule and value, and no other")
    func refused() async throws {
        try await withAPI { api async throws in
            let token = String(repeating: "ab", count: 32)
            let lines = [
                Self.line(1), "{", #"{"token":"ab"}"#, #"{"device":"x","token":"\#(token)zz"}"#,
                Self.line(2, #","environment":"moon""#), Self.line(3, #","colour":"red""#),
                Self.line(4, #","registeredAt":"yesterday""#), Self.line(5, #","pad":"\#(token)""#).padded(to: 70_000),
                Self.line(6),
            ]
            let answers = try await Self.send(api, lines)
            #expect(
                answers.refusals == [
                    2: "malformed_json", 3: "invalid_request", 4: "invalid_device_token", 5: "invalid_request",
                    6: "invalid_request", 7: "invalid_request", 8: "line_too_long",
                ]
            )
            let refused = answers.ofType("rejected").compactMap { $0["problem"] }
            let fields = refused.compactMap { $0["field"]?.text }
            #expect(fields == ["device", "token", "environment", "colour", "registeredAt", "body"])
            #expect(refused.dropFirst().allSatisfy { $0["expected"]?.text != nil && $0["actual"]?.text != nil })
            #expect(!"\(refused)".contains(token))
            #expect(Self.counts(answers.end) == [9, 2, 0, 7])
            #expect(try await api.store.device("i6", of: TestAPI.app) != nil)
        }
    }

    @Test("refuses a line whose time zone is none, and says what is expected")
    func timeZones() async throws {
        try await withAPI { api async throws in
            let lines = [
                Self.line(1, #","timeZone":"Mars/Olympus""#), Self.line(2, #","timeZone":"Asia/Calcutta""#),
                Self.line(3, #","timeZone":"UTC""#),
            ]
            let answers = try await Self.send(api, lines)
            #expect(answers.refusals == [1: "invalid_request"])
            let problem = try #require(answers.ofType("rejected").first?["problem"])
            #expect(problem["field"]?.text == "timeZone")
            #expect(problem["expected"]?.text == "the IANA name of a time zone, such as 'Europe/Zurich'")
            #expect(problem["actual"]?.text == "'Mars/Olympus'")
            #expect(Self.counts(answers.end) == [3, 2, 0, 1])
        }
    }

    @Test(
        "leaves alone what an app, or the holder of a token, has registered since the time of the line",
        arguments: TestStoreBackend.allCases
    )
    func older(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await api.register("i1", token: 1, more: #","userID":"younger""#)
            let token = TestToken.hex(1)
            let answers = try await Self.send(
                api,
                [
                    Self.line(1, #","userID":"older","registeredAt":"2026-02-02T02:39:59Z""#),
                    #"{"device":"other","environment":"sandbox","token":"\#(token)"}"#,
                    #"{"device":"other","environment":"production","token":"\#(token)"}"#,
                ]
            )
            #expect(Self.counts(answers.end) == [3, 1, 2, 0])
            #expect(try await api.store.device("i1", of: TestAPI.app)?.profile.userID == "younger")
            #expect(try await api.store.device("other", of: TestAPI.app)?.environment == .production)
        }
    }

    @Test("of which only a trial was asked stores nothing and tells the same")
    func dryRun() async throws {
        try await withAPI { api async throws in
            let answers = try await Self.send(api, [Self.line(1), "nonsense"], query: "?dryRun=true")
            #expect(answers.refusals == [2: "malformed_json"])
            #expect(Self.counts(answers.end) == [2, 1, 0, 1])
            #expect(answers.end?["dryRun"] == .bool(true))
            #expect(try await api.store.devices(of: TestAPI.app, in: nil, after: nil, limit: 10).elements.isEmpty)
        }
    }

    @Test("of many lines tells how far it is")
    func progress() async throws {
        try await withAPI { api async throws in
            let answers = try await Self.send(api, (1...25_000).map { Self.line($0) }, query: "?dryRun=true")
            #expect(answers.ofType("progress").compactMap { $0["linesRead"]?.number } == [10_000, 20_000])
            #expect(Self.counts(answers.end) == [25_000, 25_000, 0, 0])
        }
    }

    @Test("of many lines that are refused tells how far it is as well")
    func refusedProgress() async throws {
        try await withAPI { api async throws in
            let answers = try await Self.send(api, (1...25_000).map { _ in "{" })
            #expect(answers.ofType("progress").compactMap { $0["linesRead"]?.number } == [10_000, 20_000])
            #expect(answers.ofType("progress").compactMap { $0["rejected"]?.number } == [10_000, 20_000])
            #expect(Self.counts(answers.end) == [25_000, 0, 0, 25_000])
        }
    }

    @Test(
        "takes comma-separated values, quoted, with columns in any order, and tags and topics in several ways",
        arguments: TestStoreBackend.allCases
    )
    func csv(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let lines = [
                "\u{FEFF}token,device,userID,tags,topics\r",
                #"01,"a, ""b""",u1,"{""plan"":""gold"",""x"":""""}","[""news"",""x;y""]""# + "\r",
                "02,c,'=1+1,,news; alerts\r", "", "03,d,=1+1,,\r", "04,e,'quoted',,\r",
            ]
            let answers = try await Self.send(api, lines, type: "text/csv")
            #expect(answers.lines.count == 1, "\(answers.lines)")
            #expect(Self.counts(answers.end) == [6, 4, 0, 0])
            let first = try #require(try await api.store.device(#"a, "b""#, of: TestAPI.app)).profile
            #expect(first == DeviceProfile(userID: "u1", tags: ["plan": "gold", "x": ""], topics: ["news", "x;y"]))
            let second = try #require(try await api.store.device("c", of: TestAPI.app)).profile
            #expect(second == DeviceProfile(userID: "=1+1", topics: ["news", "alerts"]))
            #expect(try await api.store.device("d", of: TestAPI.app)?.profile.userID == "=1+1")
            #expect(try await api.store.device("e", of: TestAPI.app)?.profile.userID == "'quoted'")
            let tagged = try await Self.send(
                api,
                ["device,token,tags.plan,tags.city", "a,01,gold,", "b,02,,Wien"],
                type: "text/csv; charset=utf-8"
            )
            #expect(Self.counts(tagged.end) == [3, 2, 0, 0])
            #expect(try await api.store.device("b", of: TestAPI.app)?.profile.tags == ["city": "Wien"])
        }
    }

    @Test("refuses a record that is wrong, by the number of its first line, and no other")
    func badRecords() async throws {
        try await withAPI { api async throws in
            let lines = [
                "device,token,tags", "a,01", #"b,"02"x,"#, #"c,0"3,"#, "d,zz,", "e,05,nonsense",
                #"f,06,"{""a"":1}""#, "\"two\nlines\",07,", "g,08,", #"h,"09,"#, "i,10,",
            ]
            let answers = try await Self.send(api, lines, type: "text/csv")
            #expect(answers.refusals.keys.sorted() == [2, 3, 4, 5, 6, 7, 8, 11])
            let fields = answers.ofType("rejected").compactMap { $0["problem"]?["field"]?.text }
            #expect(fields == ["record", "cell 2", "cell 2", "token", "tags", "tags.a", "device", "cell 2"])
            #expect(Self.counts(answers.end) == [12, 2, 0, 8])
        }
    }

    @Test(
        "stores nothing when the names of the columns are wrong",
        arguments: [
            "device,colour", "token", "device,token,token", "device,token,tags,tags.plan",
            "\"device,token", "",
        ]
    )
    func badHeader(_ header: String) async throws {
        try await withAPI { api async throws in
            let answers = try await Self.send(api, [header, "a,01"], type: "text/csv")
            #expect(answers.end?["reason"]?.text == "invalid_request")
            let field = try #require(answers.end?["problem"]?["field"]?.text)
            #expect(field.hasPrefix(header.hasPrefix("\"") ? "cell" : "header"))
            #expect(try await api.store.devices(of: TestAPI.app, in: nil, after: nil, limit: 10).elements.isEmpty)
        }
    }

    @Test("of another type, with an unknown switch, or of no app is refused before anything is read")
    func notBegun() async throws {
        try await withAPI { api async throws in
            let xml: HTTPFields = [.contentType: "application/xml"]
            let type = try await api.call(.post, Self.path, bytes: ByteBuffer(string: "x"), headers: xml)
            #expect(type.code == "unsupported_media_type")
            let lines: HTTPFields = [.contentType: "application/x-ndjson"]
            let query = try await api.call(.post, "\(Self.path)?dryRun=maybe", "x", headers: lines)
            #expect(query.fields == ["query.dryRun"])
            let app = try await api.call(.post, "/v1/apps/com.example.none/devices:import", "x", headers: lines)
            #expect(app.code == "app_not_found")
            let key = try await api.key(scopes: [.read])
            let scope = try await api.call(.post, Self.path, "x", key: key.text, headers: lines)
            #expect(scope.code == "insufficient_scope")
        }
    }

    @Test("ends with the reason when the store takes no more, and says how far it is")
    func storeFails() async throws {
        var setup = TestSetup()
        setup.maximumStoreBytes = 1 << 20
        try await withAPI(setup) { api async throws in
            let answers = try await Self.send(api, (1...20_000).map { Self.line($0) })
            #expect(answers.end?["reason"]?.text == "store_full")
            let stored = try #require(answers.end?["imported"]?.number)
            #expect(stored > 0 && stored < 20_000)
            #expect(answers.end?["linesRead"]?.number == stored)
            #expect(try await api.store.device(DeviceID(unchecked: "i\(stored)"), of: TestAPI.app) != nil)
            #expect(try await api.store.device(DeviceID(unchecked: "i\(stored + 1)"), of: TestAPI.app) == nil)
        }
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.utf8.count))
    }
}
