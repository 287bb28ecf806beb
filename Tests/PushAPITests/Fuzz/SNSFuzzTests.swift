// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import SNSProtocol
import Testing

@Suite("Mutated calls of the SNS endpoint", .timeLimit(.minutes(FuzzRun.timeLimit)))
struct SNSFuzzTests {
    /// How many calls one store receives.
    private static let stepsOfRound = 300

    @Test("Each mutated call is answered in XML and without a server error, and everything stored can be listed")
    func calls() async throws {
        let run = FuzzRun("sns", steps: 1500)
        while !run.isOver { try await Self.play(run) }
        run.finish()
    }

    private static func play(_ run: FuzzRun) async throws {
        var setup = TestSetup()
        let masterKey = MasterKey.generate()
        setup.masterKey = masterKey
        let time = setup.time
        try await withAPI(setup) { api async throws in
            let world = FuzzWorld(api, time: time, masterKey: masterKey)
            let calls = try await SNSCalls(api)
            for _ in 0..<Self.stepsOfRound {
                guard let step = run.next() else { break }
                await Self.send(step, calls, run)
            }
            await run.recording("after the calls") {
                for fault in try await calls.readAll() + world.readAll() { run.record("after the calls: \(fault)") }
                _ = try await api.store.claimDeliveries(
                    limit: 1000,
                    each: 1000,
                    worker: "worker",
                    leaseDuration: .seconds(60),
                    now: time.now
                )
                try await world.deliver()
            }
        }
    }

    private static func send(_ step: FuzzRun.Step, _ calls: SNSCalls, _ run: FuzzRun) async {
        var mutator = FormMutator(step.random, calls: calls.list)
        let form = mutator.form()
        run.begin(step, form)
        do {
            let answer: XMLAnswer
            if mutator.chance(15) {
                // Not what was signed.
                answer = try await calls.client.post(form, signing: form + "&a=b")
                if answer.status < 400 { run.record("a call with a wrong signature has the status \(answer.status)") }
            } else {
                answer = try await calls.client.post(form)
            }
            run.count(isAccepted: answer.status < 400)
            for fault in SNSCalls.faults(of: answer) { run.record(fault) }
        } catch {
            run.record("no response: \(error)")
        }
    }
}

/// Valid calls of the SNS endpoint, on resources that there are.
private struct SNSCalls: Sendable {
    let client: SNSClient
    let list: [[String: String]]

    /// Makes the resources.
    init(_ api: TestAPI) async throws {
        let (client, application) = try await SNSEndpointTests.application(api)
        let created = try await SNSEndpointTests.create(client, application, data: "user 7")
        let endpoint = try #require(created["EndpointArn"])
        let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
        let subscribed = try await client.call(
            "Subscribe",
            ["TopicArn": topic, "Protocol": "application", "Endpoint": endpoint, "ReturnSubscriptionArn": "true"]
        )
        let subscription = try #require(subscribed["SubscriptionArn"])
        self.client = client
        self.list = Self.topicCalls(topic, endpoint, subscription) + Self.endpointCalls(application, endpoint)
    }

    private static func topicCalls(_ topic: String, _ endpoint: String, _ subscription: String) -> [[String: String]] {
        let filter = #"{"kind":["goal",{"prefix":"c"}],"minute":[{"numeric":[">=",10]}]}"#
        let policy = #"{"healthyRetryPolicy":{"minDelayTarget":1,"maxDelayTarget":20,"numRetries":3}}"#
        let json = ##"{"default":"x","APNS_SANDBOX":"{\"aps\":{\"alert\":\"寿司\"},\"n\":1}"}"##
        let entry = "PublishBatchRequestEntries.member"
        return [
            [
                "Action": "CreateTopic", "Name": "news", "Attributes.entry.1.key": "DisplayName",
                "Attributes.entry.1.value": "News", "Tags.member.1.Key": "team", "Tags.member.1.Value": "a",
            ],
            [
                "Action": "CreateTopic", "Name": "more.fifo", "Attributes.entry.1.key": "FifoTopic",
                "Attributes.entry.1.value": "true",
            ],
            ["Action": "GetTopicAttributes", "TopicArn": topic],
            ["Action": "SetTopicAttributes", "TopicArn": topic, "AttributeName": "DisplayName", "AttributeValue": "N"],
            [
                "Action": "SetTopicAttributes", "TopicArn": topic, "AttributeName": "DeliveryPolicy",
                "AttributeValue": policy,
            ],
            ["Action": "ListTopics", "NextToken": "x"],
            [
                "Action": "Subscribe", "TopicArn": topic, "Protocol": "application", "Endpoint": endpoint,
                "Attributes.entry.1.key": "FilterPolicy", "Attributes.entry.1.value": filter,
            ],
            [
                "Action": "Subscribe", "TopicArn": topic, "Protocol": "https",
                "Endpoint": "https://hooks.example.com/sns",
                "Attributes.entry.1.key": "RawMessageDelivery", "Attributes.entry.1.value": "true",
            ],
            ["Action": "ConfirmSubscription", "TopicArn": topic, "Token": String(repeating: "0", count: 128)],
            ["Action": "GetSubscriptionAttributes", "SubscriptionArn": subscription],
            [
                "Action": "SetSubscriptionAttributes", "SubscriptionArn": subscription, "AttributeName": "FilterPolicy",
                "AttributeValue": filter,
            ],
            ["Action": "ListSubscriptions"], ["Action": "ListSubscriptionsByTopic", "TopicArn": topic],
            [
                "Action": "Publish", "TopicArn": topic, "Message": json, "MessageStructure": "json", "Subject": "S",
                "MessageAttributes.entry.1.Name": "kind", "MessageAttributes.entry.1.Value.DataType": "String",
                "MessageAttributes.entry.1.Value.StringValue": "goal", "MessageAttributes.entry.2.Name": "minute",
                "MessageAttributes.entry.2.Value.DataType": "Number",
                "MessageAttributes.entry.2.Value.StringValue": "17",
            ],
            [
                "Action": "PublishBatch", "TopicArn": topic, "\(entry).1.Id": "a", "\(entry).1.Message": "A",
                "\(entry).2.Id": "b", "\(entry).2.Message": json, "\(entry).2.MessageStructure": "json",
                "\(entry).2.MessageAttributes.entry.1.Name": "kind",
                "\(entry).2.MessageAttributes.entry.1.Value.DataType": "Binary",
                "\(entry).2.MessageAttributes.entry.1.Value.BinaryValue": "AQID",
            ],
            ["Action": "TagResource", "ResourceArn": topic, "Tags.member.1.Key": "a", "Tags.member.1.Value": "b"],
            ["Action": "UntagResource", "ResourceArn": topic, "TagKeys.member.1": "a"],
            ["Action": "ListTagsForResource", "ResourceArn": topic],
            ["Action": "AddPermission", "TopicArn": topic, "Label": "x", "AWSAccountId.member.1": "000000000000"],
            ["Action": "Unsubscribe", "SubscriptionArn": subscription + "0"],
            ["Action": "DeleteTopic", "TopicArn": topic + "0"],
        ]
    }

    private static func endpointCalls(_ application: String, _ endpoint: String) -> [[String: String]] {
        var creation = SNSApplicationTests.token()
        for (name, value) in ["Action": "CreatePlatformApplication", "Name": "more", "Platform": "APNS"] {
            creation[name] = value
        }
        return [
            creation,
            ["Action": "GetPlatformApplicationAttributes", "PlatformApplicationArn": application],
            [
                "Action": "SetPlatformApplicationAttributes", "PlatformApplicationArn": application,
                "Attributes.entry.1.key": "EventEndpointCreated",
                "Attributes.entry.1.value": "arn:aws:sns:ap-northeast-1:000000000000:news",
            ],
            ["Action": "ListPlatformApplications"],
            ["Action": "ListEndpointsByPlatformApplication", "PlatformApplicationArn": application],
            [
                "Action": "CreatePlatformEndpoint", "PlatformApplicationArn": application, "Token": TestToken.hex(2),
                "CustomUserData": "user 8", "Attributes.entry.1.key": "Enabled", "Attributes.entry.1.value": "false",
            ],
            ["Action": "GetEndpointAttributes", "EndpointArn": endpoint],
            [
                "Action": "SetEndpointAttributes", "EndpointArn": endpoint, "Attributes.entry.1.key": "Token",
                "Attributes.entry.1.value": TestToken.hex(3), "Attributes.entry.2.key": "Enabled",
                "Attributes.entry.2.value": "true",
            ],
            [
                "Action": "Publish", "TargetArn": endpoint, "Message": "Hello",
                "MessageAttributes.entry.1.Name": "AWS.SNS.MOBILE.APNS_SANDBOX.TTL",
                "MessageAttributes.entry.1.Value.DataType": "Number",
                "MessageAttributes.entry.1.Value.StringValue": "600",
                "MessageAttributes.entry.2.Name": "AWS.SNS.MOBILE.APNS.PRIORITY",
                "MessageAttributes.entry.2.Value.DataType": "String",
                "MessageAttributes.entry.2.Value.StringValue": "5",
            ],
            ["Action": "DeleteEndpoint", "EndpointArn": endpoint + "0"],
            ["Action": "DeletePlatformApplication", "PlatformApplicationArn": application + "0"],
        ]
    }

    /// Lists everything, and reads what is listed.
    func readAll() async throws -> [String] {
        var faults: [String] = []
        for topic in try await self.read("ListTopics", [:], "TopicArn", &faults) {
            _ = try await self.read("GetTopicAttributes", ["TopicArn": topic], "key", &faults)
            _ = try await self.read("ListTagsForResource", ["ResourceArn": topic], "Key", &faults)
        }
        for arn in try await self.read("ListSubscriptions", [:], "SubscriptionArn", &faults) where arn.hasPrefix("arn:")
        {
            _ = try await self.read("GetSubscriptionAttributes", ["SubscriptionArn": arn], "key", &faults)
        }
        for arn in try await self.read("ListPlatformApplications", [:], "PlatformApplicationArn", &faults) {
            let parameters = ["PlatformApplicationArn": arn]
            _ = try await self.read("GetPlatformApplicationAttributes", parameters, "key", &faults)
            let list = "ListEndpointsByPlatformApplication"
            for endpoint in try await self.read(list, parameters, "EndpointArn", &faults) {
                _ = try await self.read("GetEndpointAttributes", ["EndpointArn": endpoint], "key", &faults)
            }
        }
        return faults
    }

    /// The texts of elements of all pages of a response.
    private func read(
        _ action: String,
        _ parameters: [String: String],
        _ element: String,
        _ faults: inout [String]
    ) async throws -> [String] {
        var parameters = parameters
        var texts: [String] = []
        for _ in 0..<20 {
            let answer = try await self.client.call(action, parameters)
            faults += Self.faults(of: answer).map { "\(action) \(parameters): \($0)" }
            if answer.status != 200 { faults.append("\(action) \(parameters): \(answer.text)") }
            texts += answer.texts(element)
            guard let next = answer["NextToken"] else { break }
            parameters["NextToken"] = next
        }
        return texts
    }

    /// Why a response is wrong; empty if it is not.
    static func faults(of answer: XMLAnswer) -> [String] {
        var faults: [String] = []
        if answer.status >= 500 { faults.append("the status is \(answer.status)") }
        if SNSProtocol.XMLElement(answer.text) == nil { faults.append("the response is not XML") }
        if answer["RequestId"] == nil { faults.append("the response has no request ID") }
        if answer.status >= 400, answer.code == nil { faults.append("the response has no error code") }
        // XML 1.0, section 2.2.
        let isForbidden: (Unicode.Scalar) -> Bool = { scalar in
            (scalar.value < 0x20 && ![0x9, 0xA, 0xD].contains(scalar.value)) || [0xFFFE, 0xFFFF].contains(scalar.value)
        }
        if answer.text.unicodeScalars.contains(where: isForbidden) {
            faults.append("the response has control characters")
        }
        return faults.map { "\($0); the response is: \(answer.text.prefix(500))" }
    }
}

/// Changes the forms of valid calls.
private struct FormMutator {
    private static let indices = ["0", "1", "2", "11", "-1", "01", "99999999999999999999", "x", "", "1.1"]

    private let calls: [[String: String]]
    private var json: JSONMutator

    init(_ random: SeededRandom, calls: [[String: String]]) {
        self.json = JSONMutator(random, donors: FuzzScript.shared.donors)
        self.calls = calls
    }

    /// The form of a call with changes.
    mutating func form() -> String {
        var fields = self.fields()
        for _ in 0..<Int.random(in: 0...3, using: &self.json.random) { self.change(&fields) }
        let version = self.chance(30) ? self.pick(FuzzedText.texts) : "2010-03-31"
        fields.append((name: "Version", value: version))
        var form = fields.map { "\(FuzzedText.escape($0.name))=\(FuzzedText.escape($0.value))" }.joined(separator: "&")
        if self.chance(20) { form = FuzzedText.changed(form, using: &self.json.random) }
        if self.chance(30) { form += self.pick(["&", "&&", "=", "&=", "&%zz=1", "&a", ";b=1", "&%ff=%ff", "&a=%"]) }
        return form
    }

    mutating func chance(_ count: Int) -> Bool { FuzzedText.chance(count, using: &self.json.random) }

    private mutating func fields() -> [(name: String, value: String)] {
        self.pick(self.calls).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private mutating func change(_ fields: inout [(name: String, value: String)]) {
        guard let place = fields.indices.randomElement(using: &self.json.random) else { return }
        switch Int.random(in: 0..<8, using: &self.json.random) {
        case 0: fields[place].value = FuzzedText.text(using: &self.json.random)
        case 1, 2: fields[place].value = self.changed(fields[place].value)
        case 3: fields.remove(at: place)
        case 4: fields.append(fields[place])
        case 5: fields[place].name = self.renamed(fields[place].name)
        case 6: if let field = self.fields().randomElement(using: &self.json.random) { fields.append(field) }
        default: fields[place].value = self.pick(FuzzedText.numbers)
        }
    }

    private mutating func changed(_ value: String) -> String {
        guard value.hasPrefix("{"), let json = try? JSONValue(json: Array(value.utf8)) else {
            return FuzzedText.changed(value, using: &self.json.random)
        }
        return self.json.mutate(FuzzedJSON(json)).written
    }

    /// A name with another index, or with a change.
    private mutating func renamed(_ name: String) -> String {
        let parts = name.components(separatedBy: ".1")
        guard parts.count > 1, !self.chance(3) else { return FuzzedText.changed(name, using: &self.json.random) }
        return parts.joined(separator: "." + self.pick(Self.indices))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        FuzzedText.pick(elements, using: &self.json.random)
    }
}
