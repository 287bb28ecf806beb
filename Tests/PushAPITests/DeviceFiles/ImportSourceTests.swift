// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import NIOCore
import PushModel
import PushStore
import StoreTesting
import Testing

/// What an import takes from the tables of other programs.
@Suite("An import from another database", .timeLimit(.minutes(20)))
struct ImportSourceTests {
    private static let mapping = "?columns=token=apns_token,device=device_id,tags.plan=plan"
    private static let tsv = "text/tab-separated-values"

    @Test(
        "reads the columns that it is told to, by their names there, and no others",
        arguments: TestStoreBackend.allCases
    )
    func mapping(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let lines = [
                "device_id,status,apns_token,plan,platform,status", "a,3,01,gold,none,", #""b,""c""",x,02,,,y"#,
            ]
            let answers = try await ImportTests.send(api, lines, query: Self.mapping, type: "text/csv")
            #expect(ImportTests.counts(answers.end) == [3, 2, 0, 0], "\(answers.lines)")
            let first = try #require(try await api.store.device("a", of: TestAPI.app))
            #expect(first.profile == DeviceProfile(tags: ["plan": "gold"]))
            let second = try #require(try await api.store.device(#"b,"c""#, of: TestAPI.app))
            #expect(second.profile == DeviceProfile())
        }
    }

    @Test("names the column that is missing, and reads nothing")
    func missingColumn() async throws {
        try await withAPI { api async throws in
            let lines = ["device_id,plan", "a,b"]
            let answers = try await ImportTests.send(api, lines, query: Self.mapping, type: "text/csv")
            let problem = try #require(answers.end?["problem"])
            #expect(problem["field"]?.text == "header")
            #expect(problem["expected"]?.text == "a column 'apns_token', as the parameter 'columns' says")
            #expect(ImportTests.counts(answers.end) == [0, 0, 0, 0])
        }
    }

    @Test(
        "refuses a mapping that names no column of a device, one twice or too few",
        arguments: [
            "colour=a,device=b,token=c", "device=a,token=a", "device=a", "device=,token=b", "", "device,token,",
        ]
    )
    func badMapping(_ mapping: String) async throws {
        try await withAPI { api async throws in
            let path = "\(ImportTests.path)?columns=\(mapping)"
            let answer = try await api.call(
                .post,
                path,
                bytes: ByteBuffer(string: "a,b\nc,01\n"),
                headers: [.contentType: "text/csv"]
            )
            #expect(answer.status == 422, "\(answer.text)")
            #expect(answer.fields.contains("query.columns"))
        }
    }

    @Test("refuses a mapping of columns for lines of JSON, and a number of lines that is none")
    func badQuery() async throws {
        try await withAPI { api async throws in
            for (query, field) in [("columns=device,token", "query.columns"), ("skip=-1", "query.skip")] {
                let answer = try await api.call(
                    .post,
                    "\(ImportTests.path)?\(query)",
                    bytes: ByteBuffer(string: "{}\n"),
                    headers: [.contentType: "application/x-ndjson"]
                )
                #expect(answer.fields == [field], "\(answer.text)")
            }
        }
    }

    @Test(
        "reads what mysql writes in batches: tabs, escaped characters, and NULL for no value",
        arguments: TestStoreBackend.allCases
    )
    func tabs(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let rows: [[String]] = [
                ["token", "device", "userID", "tags"], ["01", #"a "b""#, "NULL", "NULL"],
                ["02", #"c\\d"#, #"\N"#, #"{"plan": "x\\"y"}"#], ["03", "e", "f", "\r"],
                ["04", "g", #"line\nfeed"#, ""], ["05", "h"],
            ]
            let lines = rows.map { $0.joined(separator: "\t") }
            let answers = try await ImportTests.send(api, lines, type: Self.tsv)
            #expect(ImportTests.counts(answers.end) == [6, 3, 0, 2], "\(answers.lines)")
            #expect(answers.refusals.keys.sorted() == [5, 6])
            let first = try #require(try await api.store.device(#"a "b""#, of: TestAPI.app))
            #expect(first.profile == DeviceProfile())
            let second = try #require(try await api.store.device(#"c\d"#, of: TestAPI.app))
            #expect(second.profile == DeviceProfile(tags: ["plan": #"x"y"#]))
            #expect(try await api.store.device("e", of: TestAPI.app)?.profile.userID == "f")
        }
    }

    @Test(
        "continues behind the line that it is told, of which an earlier one has stored everything",
        arguments: ["text/csv", Self.tsv]
    )
    func skip(type: String) async throws {
        try await withAPI { api async throws in
            let rows: [[String]] = [["device", "token"]] + (2...9).map { ["i\($0)", "0\($0)"] }
            let lines = rows.map { $0.joined(separator: type == Self.tsv ? "\t" : ",") }
            let answers = try await ImportTests.send(api, lines, query: "?skip=6", type: type)
            #expect(ImportTests.counts(answers.end) == [9, 3, 0, 0])
            let devices = try await api.store.devices(of: TestAPI.app, in: nil, after: nil, limit: 10).elements
            #expect(devices.map(\.installation) == ["i7", "i8", "i9"])
        }
    }

    @Test("does not count lines that it passes over as rejected")
    func skipRejected() async throws {
        try await withAPI { api async throws in
            let lines = ["{", String(repeating: "x", count: 70_000), #"{"device":"a","token":"01"}"#]
            let answers = try await ImportTests.send(api, lines, query: "?skip=2")
            #expect(ImportTests.counts(answers.end) == [3, 1, 0, 0])
        }
    }
}
