// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import HTTPTypes
import PushAPI
import PushModel
import Testing

@Suite("Mutated files of devices and streams of notifications", .timeLimit(.minutes(FuzzRun.timeLimit)))
struct ImportFuzzTests {
    private enum Format: CaseIterable {
        case ndjson
        case csv
        case stream

        /// The schema of the lines of the response.
        var schema: String {
            switch self {
            case .ndjson, .csv: "ImportLine"
            case .stream: "StreamLine"
            }
        }
    }

    /// How many requests one store receives.
    private static let stepsOfRound = 200

    @Test("Each line is accepted or refused, the response ends with a count of all lines, and the devices can be read")
    func files() async throws {
        let run = FuzzRun("imports", steps: 1000)
        while !run.isOver { try await Self.play(run) }
        run.finish()
    }

    private static func play(_ run: FuzzRun) async throws {
        var setup = TestSetup()
        let masterKey = MasterKey.generate()
        setup.masterKey = masterKey
        // Streams do not wait for outcomes, and no other timer fires.
        setup.clock = SelectiveClock(passing: setup.configuration.stream.patience)
        let time = setup.time
        try await withAPI(setup) { api async throws in
            let world = FuzzWorld(api, time: time, masterKey: masterKey)
            for _ in 0..<Self.stepsOfRound {
                guard let step = run.next() else { break }
                await Self.send(step, world, run)
            }
            await run.recording("after the requests") {
                for fault in try await world.readAll() { run.record("after the requests: \(fault)") }
            }
        }
    }

    private static func send(_ step: FuzzRun.Step, _ world: FuzzWorld, _ run: FuzzRun) async {
        var writer = FileWriter(step.random)
        let format = writer.pick(Format.allCases)
        var request = FuzzRequest(method: "POST", path: "/v1/apps/\(TestAPI.app)/", headers: HTTPFields())
        request.headers[.authorization] = "Bearer \(world.api.admin.text)"
        request.headers[.contentType] = format == .csv ? "text/csv" : "application/x-ndjson"
        switch format {
        case .ndjson: request.body = writer.devices()
        case .csv: request.body = writer.table()
        case .stream: request.body = writer.notifications()
        }
        if format == .stream {
            request.path +=
                "notifications:stream" + writer.pick(["", "?stream=a", "?stream=b&from=1", "?stream=a&from=3"])
        } else {
            request.path += "devices:import" + writer.pick(["", "", "?dryRun=true", "?dryRun=false"])
        }
        run.begin(step, request.text)
        do {
            let answer = try await world.send(request)
            run.count(isAccepted: answer.status < 400)
            for fault in world.faults(of: answer, to: request) { run.record(fault) }
            guard answer.status == 200 else { return }
            for fault in Self.faults(of: answer, format) {
                run.record("\(fault); the response is: \(answer.text.prefix(500))")
            }
            if format == .stream { try await world.deliver() }
        } catch {
            run.record("no response: \(error)")
        }
    }

    /// Why the lines of a response are wrong; empty if they are not.
    private static func faults(of answer: Answer, _ format: Format) -> [String] {
        var faults: [String] = []
        var lines: [JSONValue] = []
        for text in answer.text.split(separator: "\n") {
            guard let line = try? JSONValue(json: Array(text.utf8)) else {
                faults.append("a line of the response is not JSON")
                continue
            }
            faults += OpenAPISpecification.shared.faults(of: line, as: format.schema)
            lines.append(line)
        }
        guard let end = lines.last, end["type"] == "end" else { return faults + ["the last line is not of type 'end'"] }
        // A stream that is resumed reports earlier lines as well.
        guard format != .stream else { return Array(faults.prefix(5)) }
        let count = end["linesRead"]?.number ?? 0
        let sum = ["imported", "skippedOlder", "rejected"].reduce(0) { $0 + (end[$1]?.number ?? 0) }
        if sum > count { faults.append("\(sum) results of \(count) lines") }
        let refused = lines.count { $0["type"] == "rejected" }
        if end["reason"] == "completed", end["rejected"]?.number != refused {
            faults.append("\(refused) refusals, and another number at the end")
        }
        return Array(faults.prefix(5))
    }
}

/// Writes files of devices and streams of notifications, with mistakes.
private struct FileWriter {
    private static let columns = [
        "device", "token", "environment", "platform", "appVersion", "systemVersion", "locale", "timeZone",
        "userID", "tags", "topics",
        "registeredAt", "createdAt", "status", "tags.plan", "tags.", "color", "",
    ]

    private static let cells = [
        "", "phone", "a001", "sandbox", "iOS", "2.1", "ja-JP", "Asia/Tokyo", "anna", "news;alerts", "[\"news\"]",
        "{\"plan\":\"gold\"}", "{\"plan\":1", "[", "=1+1", "'=1", "2026-02-02T02:40:00Z", "\"", "a\"b", "a,b", "a\r\nb",
        "a\nb",
        "{\"a\":{\"a\":{}}}", "{\"a\":\"\\ud800\"}",
    ]

    private var json: JSONMutator

    init(_ random: SeededRandom) {
        self.json = JSONMutator(random, donors: FuzzScript.shared.donors)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        FuzzedText.pick(elements, using: &self.json.random)
    }

    mutating func devices() -> [UInt8] {
        self.lines("DeviceLine") { number in
            [
                "device": .string("phone \(number % 7)"), "token": .string("a00\(number % 10)"),
                "tags": ["plan": "gold"],
            ]
        }
    }

    mutating func notifications() -> [UInt8] {
        self.lines("SingleNotification") { number in
            ["token": .string("\(["a0", "dd", "ee", "ff"][number % 4])0\(number % 10)"), "payload": ["n": 1]]
        }
    }

    /// JSON lines: plain values, samples of a schema, and changes of both.
    private mutating func lines(_ schema: String, _ plain: (Int) -> JSONValue) -> [UInt8] {
        let schema = OpenAPISpecification.shared.schema(schema) ?? .null
        let end = self.end()
        var text = self.chance(20) ? "\u{feff}" : ""
        for number in 0..<self.count() {
            var value = plain(number)
            if self.chance(3) {
                var sample = SchemaSample(self.json.random)
                value = sample.value(schema)
                self.json.random = sample.random
            }
            let line = self.json.mutate(FuzzedJSON(value), changes: 0...2).written
            // A value can have line feeds; then it is several lines.
            text += line + end
            if self.chance(20) { text += end }
        }
        return self.json.bytes(text)
    }

    mutating func table() -> [UInt8] {
        var columns = ["device", "token"]
        let others = self.chance(4) ? 0 : 5
        for _ in 0..<others { columns.append(self.pick(Self.columns)) }
        // A column can be there once.
        if !self.chance(8) { columns = Set(columns).sorted().filter { !$0.isEmpty && $0 != "tags." && $0 != "color" } }
        if columns.contains("tags.plan"), !self.chance(8) { columns.removeAll { $0 == "tags" } }
        if self.chance(30) { columns.removeFirst() }
        let end = self.end()
        var text = self.chance(20) ? "\u{feff}" : ""
        text += columns.joined(separator: ",") + end
        for number in 0..<self.count() {
            var cells = columns.map { self.cell($0, number) }
            if self.chance(20) { cells.append(self.cell("", number)) }
            text += cells.joined(separator: self.chance(50) ? ";" : ",") + end
        }
        return self.json.bytes(text)
    }

    /// A cell, in quotation marks unless that is forgotten.
    private mutating func cell(_ column: String, _ number: Int) -> String {
        var cell = ""
        switch column {
        case "device" where !self.chance(10): cell = "phone \(number % 7)"
        case "token" where !self.chance(10): cell = "a00\(number % 10)"
        default: cell = self.chance(3) ? FuzzedText.text(using: &self.json.random) : self.pick(Self.cells)
        }
        guard !self.chance(15) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }

    private mutating func count() -> Int {
        self.chance(60) ? 1200 : Int.random(in: 0...12, using: &self.json.random)
    }

    private mutating func end() -> String { self.chance(6) ? "\r\n" : "\n" }

    private mutating func chance(_ count: Int) -> Bool { FuzzedText.chance(count, using: &self.json.random) }
}
