// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Fault scripts")
struct FaultScriptTests {
    static let script = #"""
        {"name":"a bad evening","seed":7,"steps":[
          {"action":"reject","reason":"InternalServerError","rate":0.1},
          {"action":"reject","reason":"TooManyRequests","match":{"bundleID":"com.example.app"},"from":5,"until":50,
           "body":"<html>","bodySize":9000,"frameSize":3},
          {"action":"delay","latency":{"distribution":"percentiles","points":[
            {"share":50,"milliseconds":5},{"share":99,"milliseconds":80},{"share":100,"milliseconds":900}]},"rate":0.2},
          {"action":"delay","latency":{"distribution":"normal","mean":20,"deviation":5},"rate":0.2},
          {"action":"settings","maximumConcurrentStreams":1,"skip":100,"count":1},
          {"action":"goAway","reason":"Shutdown","code":0,"lastStreamID":9,"skip":500,"count":1},
          {"action":"reset","code":8,"rate":0.05,"seed":99},
          {"action":"silence","rate":0.01},
          {"action":"drop","skip":900,"count":1,"deliversFirst":true},
          {"action":"tls","problem":"wrongName","rate":0.1},
          {"action":"cut","bytes":1000,"direction":"input","layer":"socket","resets":true,"rate":0.1},
          {"action":"roundTrip","milliseconds":50},
          {"action":"goAwayFirst","reason":"Shutdown","count":1},
          {"action":"firstSettings","initialWindowSize":16},
          {"action":"slowAccept","latency":{"distribution":"uniform","minimum":1,"maximum":9}},
          {"action":"fragments","bytes":7},
          {"action":"refuse","rate":0.5},
          {"action":"unreachable","from":60,"until":61},
          {"action":"hold","skip":50,"count":3,"match":{"token":"00ff"}}
        ]}
        """#

    /// What a run of requests and connections comes to, in words.
    private static func run(_ script: FaultScript) throws -> [String] {
        let request = try RequestFixture().request
        var table = ActiveFaults()
        for step in script.seededSteps { _ = table.add(step, now: 0) }
        var outcomes: [String] = []
        for index in 0..<2000 {
            let now = Double(index) / 20
            outcomes.append("\(String(describing: table.strike(request, now: now)?.action))")
            if index.isMultiple(of: 10) { outcomes.append("\(table.plan(now: now))") }
        }
        return outcomes
    }

    @Test("every kind of step is understood")
    func reads() throws {
        let script = try FaultScript(json: Array(Self.script.utf8))
        #expect(script.name == "a bad evening")
        #expect(script.seed == 7)
        #expect(script.steps.count == 19)
        let expected = SimulatorFault.Action.garble(
            Rejection(.tooManyRequests),
            ErrorBody(text: "<html>", size: 9000, frameSize: 3)
        )
        #expect(script.steps[1].action == expected)
        #expect(script.steps[1].window == SimulatorFault.Window(from: 5, until: 50))
        #expect(script.steps[6].seed == 99)
    }

    @Test("the same seed and the same requests meet the same faults, another seed others")
    func replay() throws {
        var script = try FaultScript(json: Array(Self.script.utf8))
        let first = try Self.run(script)
        #expect(try Self.run(script) == first)
        script.seed = 8
        #expect(try Self.run(script) != first)
    }

    @Test("steps of one script do not share their dice")
    func seeds() throws {
        let script = try FaultScript(json: Array(Self.script.utf8))
        let seeds = script.seededSteps.compactMap(\.seed)
        #expect(Set(seeds).count == seeds.count)
    }

    @Test(
        "what is no fault is refused with the member that is wrong",
        arguments: [
            (#"{"action":"explode"}"#, "action"), (#"{"action":"reject"}"#, "reason"),
            (#"{"action":"reject","reason":"BadTopic","status":99}"#, "status"),
            (#"{"action":"delay"}"#, "milliseconds"), (#"{"action":"drop","speed":1}"#, "speed"),
            (#"{"action":"drop","from":5,"until":4}"#, "until"), (#"{"action":"tls","problem":"bad mood"}"#, "problem"),
            (#"{"action":"delay","latency":{"distribution":"zipf"}}"#, "latency.distribution"),
            (#"{"action":"delay","latency":{"distribution":"uniform","minimum":5,"maximum":1}}"#, "latency.maximum"),
            (#"{"action":"delay","latency":{"distribution":"percentiles","points":[]}}"#, "latency.points"),
            (#"{"steps":[{"action":"drop"},{"action":"reset","code":-1}]}"#, "steps[1].code"),
            (#"{"action":"drop","match":{"token":"xyz"}}"#, "match.token"),
            (#"{"action":"drop","match":{"bundleID":"no topic"}}"#, "match.bundleID"),
            (#"{"action":"reject","reason":"Unregisterd"}"#, "reason"),
            (#"{"action":"goAway","reason":"Shutdwon"}"#, "reason"),
            (#"{"action":"goAwayFirst","reason":"Shutdwon"}"#, "reason"),
            (#"{"action":"settings"}"#, "maximumConcurrentStreams"),
            (#"{"action":"firstSettings"}"#, "maximumConcurrentStreams"),
            (#"{"action":"refuse","match":{"token":"00"}}"#, "match.token"),
            (#"{"action":"unreachable","match":{"bundleID":"a.b"}}"#, "match.bundleID"),
            (#"{"action":"refuse","deliversFirst":true}"#, "deliversFirst"),
            (#"{"action":"reject","reason":"BadTopic","deliversFirst":true}"#, "deliversFirst"),
            (#"{"action":"unreachable","count":1}"#, "count"), (#"{"steps":[]}"#, "steps"),
            (#"{"steps":[],"stage":1}"#, "stage"), (#"{"steps":5}"#, "steps"), (#"[]"#, "body"),
        ]
    )
    func refused(json: String, field: String) {
        let failure = #expect(throws: InvalidValueError.self) { try FaultScript(json: Array(json.utf8)) }
        #expect(failure?.field == field)
    }

    @Test(
        "a reason that APNs does not have is taken where it is said that it is meant",
        arguments: [
            #"{"action":"reject","reason":"Tired","status":400}"#,
            #"{"action":"goAway","reason":"Tired","unknownReason":true}"#,
            #"{"action":"goAwayFirst","reason":"Tired","unknownReason":true}"#,
        ]
    )
    func unknownReason(json: String) throws {
        let script = try FaultScript(json: Array(json.utf8))
        // It is shown so that it can be handed in again.
        let shown = ActiveFault(id: 1, fault: script.steps[0], now: 0).output
        var object = try JSONRequestBody(shown.bytes)
        for name in ["id", "struck", "matched"] { _ = try object.integer(name, in: 0...9) }
        #expect(try FaultParser.fault(object) == script.steps[0])
    }

    @Test("what is no JSON is refused")
    func noJSON() {
        #expect(throws: InvalidValueError.self) { try FaultScript(json: Array("{".utf8)) }
    }

    @Test("a fault is shown with the members that it came with")
    func output() throws {
        for step in try FaultScript(json: Array(Self.script.utf8)).steps {
            let armed = ActiveFault(id: 1, fault: step, now: 0)
            var object = try JSONRequestBody(armed.output.bytes)
            for name in ["id", "struck", "matched"] { _ = try object.integer(name, in: 0...9) }
            let again = try FaultParser.fault(object)
            var expected = step
            expected.seed = expected.seed ?? 0
            #expect(again == expected)
        }
    }
}
