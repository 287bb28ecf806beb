// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Cron
import Foundation
import JSONSchema
import PushModel
import SNSProtocol
import Scheduling
import StoreTesting

extension ValueTarget {
    private static let zones = [
        "UTC", "Europe/Vienna", "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca",
        "Pacific/Apia", "Mars/Olympus", "",
    ]

    static let filterPolicies = ValueTarget(
        name: "filter policy",
        samples: [
            #"{"kind":["goal","card"],"minute":[{"numeric":[">=",10,"<",90]}]}"#,
            #"{"a":{"b":[{"prefix":"x"},{"suffix":"y"},{"equals-ignore-case":"Z"}]},"c":[{"exists":true}]}"#,
            #"{"$or":[{"a":["x"]},{"b":[{"anything-but":["y",1]}]}],"c":[{"anything-but":{"prefix":"z"}}]}"#,
            #"{"ip":[{"cidr":"10.0.0.0/24"}],"six":[{"cidr":"2001:db8::/32"}],"w":[{"wildcard":"a*b"}],"n":[null]}"#,
        ]
    ) { text, random in
        let isBody = FuzzedText.chance(2, using: &random)
        let policy = try FilterPolicy(
            json: text,
            scope: isBody ? .messageBody : .messageAttributes,
            limits: .sns,
            at: .single
        )
        _ = policy.matches(Self.message(&random))
        return nil
    }

    static let cron = ValueTarget(
        name: "cron",
        samples: [
            "* * * * *", "0 9 * * 1-5", "*/15 0-6,22-23 1,15 JAN-DEC SUN", "30 2 29 2 *", "0 0 L * *", "0 0 15W * *",
            "0 0 * * 5#3", "0 0 * * 5L", "30 15 10 * * ?", "@daily", "@hourly", "0 0 31 */2 MON",
        ]
    ) { text, random in
        let schedule = try Schedule.cron(text, timeZone: FuzzedText.pick(Self.zones, using: &random))
        return ScheduleCheck.fault(of: schedule, &random)
    }

    static let intervals = ValueTarget(
        name: "interval",
        samples: [
            #"{"everySeconds":3600,"from":1770000000}"#, #"{"cron":"0 9 * * *","timeZone":"Europe/Vienna"}"#,
            #"{"cron":"0 2 * * *","timeZone":"UTC","dstPolicy":{"skippedTime":"skip","repeatedTime":"run_twice"}}"#,
        ]
    ) { text, random in
        let schedule = try JSONDecoder().decode(Schedule.self, from: Data(text.utf8))
        return ScheduleCheck.fault(of: schedule, &random)
    }

    static let schemas = ValueTarget(
        name: "schema",
        samples: [
            #"{"type":"object","required":["a"],"properties":{"a":{"type":["integer","null"],"minimum":1}}}"#,
            ##"{"properties":{"t":{"format":"swift-date","convert":true},"n":{"$ref":"#"}},"required":["t"]}"##,
            ##"{"$defs":{"x":{"enum":["a",1,null,{"b":[1.5]}]}},"items":{"$ref":"#/$defs/x"},"maxItems":3}"##,
            #"{"oneOf":[{"const":1},{"type":"string","minLength":1,"maxLength":3}],"anyOf":[true,{"minimum":-1e300}]}"#,
        ]
    ) { text, random in
        let schema = try JSONSchema(json: Array(text.utf8))
        let value = Self.value(&random)
        _ = schema.faults(in: value, field: "value")
        _ = try schema.converted(value).json()
        return nil
    }

    static let json = ValueTarget(
        name: "JSON",
        samples: [#"{"a":[1,-2.5e3,"x",null,true,{"b":"\ud83c\udf63"}],"c":{"d":794048400}}"#, "[[[]]]", "1e2"]
    ) { text, random in
        let value = try JSONValue(json: Array(text.utf8))
        let written = try value.json()
        guard try JSONValue(json: written).json() == written else { return "it is written in two ways" }
        _ = try value.merging(patch: Self.value(&random)).json()
        _ = SwiftDate.suspects(in: value, field: "value", now: StoreFixtures.now)
        return nil
    }

    static let payloads = ValueTarget(
        name: "payload",
        samples: [
            #"{"aps":{"alert":{"title":"Hi {{tags.name|you}}","body":"{{userID}}"}},"n":[1,{"x":"{{locale}}"}]}"#,
            #"{"aps":{"content-available":1}}"#,
        ]
    ) { text, random in
        let template = try MessageTemplate(APNsPayload(json: text))
        let profile = DeviceProfile(
            locale: FuzzedText.text(using: &random),
            tags: ["name": FuzzedText.text(using: &random), "a": "\"\\\n"]
        )
        _ = template.render(PersonalizationAttributes(profile), limit: FuzzedText.pick([0, 10, 4096], using: &random))
        return nil
    }

    /// Cursors and identifiers that Apus itself makes.
    static let identifiers = ValueTarget(
        name: "cursor",
        samples: [
            "17", "3-9223372036854775807", "0199c0de-0000-7000-8000-000000000000", "wh_0123456789abcdef", "1.2.3",
        ]
    ) { text, random in
        if let cursor = EventCursor(text), EventCursor(cursor.description) != cursor {
            return "\(cursor) is not read back"
        }
        if let id = APNsID(canonical: text) {
            _ = BatchID(id).map(\.description)
            if APNsID(canonical: id.description) != id { return "\(id) is not read back" }
        }
        _ = (
            CampaignID(text), NotificationID(text), SubscriptionID(text), WebhookID(rawValue: text),
            JobID(rawValue: text)
        )
        _ = (AppID(rawValue: text), TopicName(rawValue: text), DeviceID(rawValue: text), APIKeyID(rawValue: text))
        _ = (AppVersion(text), LocaleRange(text), WebhookURL(text), try? DeviceToken(hex: text))
        let key = [UInt8](repeating: 7, count: 32)
        let codec = NextTokenCodec(keys: { [key] })
        // Longer tokens are refused.
        if (1...1000).contains(text.utf8.count), FuzzedText.chance(2, using: &random) {
            let token = codec.encode(text, of: "topics")
            guard try codec.decode(token, of: "topics") == text else { return "a token names another place" }
        }
        _ = try codec.decode(text, of: "topics")
        return nil
    }

    /// Names of SNS.
    static let names = ValueTarget(
        name: "ARN",
        samples: [
            "arn:aws:sns:eu-west-1:000000000000:news", "arn:aws:sns:eu-west-1:000000000000:news.fifo:0199c0de",
            "arn:aws:sns:eu-west-1:000000000000:app/APNS/shop", "20260202T024000Z",
            "arn:aws:sns:eu-west-1:000000000000:endpoint/APNS_SANDBOX/shop/0199c0de-0000-7000-8000-000000000000",
        ]
    ) { text, _ in
        _ = (try? TopicARN(text, region: nil), try? SubscriptionARN(text, region: "eu-west-1"))
        _ = (try? ApplicationARN(text, region: nil), try? EndpointARN(text, region: nil), AmzDate(text))
        return nil
    }

    /// Forms of the SNS query protocol.
    static let forms = ValueTarget(
        name: "form",
        samples: [
            "Action=Publish&TopicArn=arn%3Aaws%3Asns%3Ax%3A000000000000%3Anews&Message=a+b%20%F0%9F%8D%A3",
            "Action=CreateTopic&Name=news&Attributes.entry.1.key=DisplayName&Attributes.entry.1.value=News",
            "Action=PublishBatch&TopicArn=x&PublishBatchRequestEntries.member.1.Id=a"
                + "&PublishBatchRequestEntries.member.1.Message=b",
        ]
    ) { text, _ in
        _ = try SNSQueryRequest(
            try FormFields(Array(text.utf8), source: .body),
            in: SNSQueryRequest.Context(region: nil)
        )
        return nil
    }

    /// Campaigns as the stores keep them, and the instants of their local times.
    static func campaigns() throws -> ValueTarget {
        let local = LocalStart(time: try LocalTime("2036-03-20T09:00"), fallbackZone: "Europe/Vienna")
        let samples = [
            try CampaignFixtures.campaign(audience: .topic("news"), start: .local(local), ratePerSecond: 100),
            try CampaignFixtures.campaign(start: .at(StoreFixtures.after(60)), expiresAt: StoreFixtures.after(600)),
            try CampaignFixtures.tokenValidation(),
        ]
        let texts = try samples.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        return ValueTarget(name: "campaign", samples: texts) { text, _ in
            let campaign = try JSONDecoder().decode(Campaign.self, from: Data(text.utf8))
            _ = (campaign.planningTime, campaign.rate, campaign.tokenValidation?.turn)
            if case .local(let start) = campaign.start {
                let zones: [String?: Int] = ["Europe/Vienna": 2, "Mars/Olympus": 1, nil: 3]
                _ = LocalTimeWaves(start, zones: zones, startedAt: StoreFixtures.now).waves
            }
            let again = try JSONDecoder().decode(Campaign.self, from: JSONEncoder().encode(campaign))
            return again == campaign ? nil : "\(campaign) is \(again) after it was stored"
        }
    }

    private static func message(_ random: inout SeededRandom) -> FilterableMessage {
        var attributes: [String: MessageAttribute] = [:]
        for name in ["kind", "minute", "a", "ip"] where FuzzedText.chance(2, using: &random) {
            let type = FuzzedText.pick(["String", "Number", "String.Array", "Number.int"], using: &random)
            let text = FuzzedText.chance(2, using: &random) ? FuzzedText.text(using: &random) : "[\"goal\",17,null]"
            attributes[name] = MessageAttribute(dataType: type, value: .text(text))
        }
        let body = (try? Self.value(&random).json()).map { String(decoding: $0, as: UTF8.self) }
        return FilterableMessage(attributes: attributes, body: body)
    }

    /// A JSON value from the bodies of the script, changed.
    private static func value(_ random: inout SeededRandom) -> JSONValue {
        let sample = FuzzedText.pick(FuzzScript.shared.donors, using: &random).value
        var mutator = JSONMutator(random, donors: FuzzScript.shared.donors)
        let text = mutator.mutate(sample).written
        random = mutator.random
        return (try? JSONValue(json: Array(text.utf8))) ?? .null
    }
}

/// Values that the stores keep as JSON.
enum StoredSamples {
    static let audiences: [Audience] = [
        .all,
        .and([
            .topic("news"), .not(.locale(LocaleRange("de-AT"))),
            .tag(TagCondition(name: "plan", match: .equals("gold"))),
        ]
        ),
        .or([.timeZone("Asia/Tokyo"), .platform(.iOS), .users(["anna", "ben"]), .environment(.sandbox)]),
        .appVersion(AppVersionRange(atLeast: AppVersion("2.1"), below: AppVersion("3"))),
        .seen(DateRange(after: StoreFixtures.now, before: nil)),
    ]

    static func changes() throws -> [ActivityChange] {
        [
            try ActivityFixtures.patch(#"{"status":"ending","endTime":794048400}"#, end: .immediate),
            try ActivityFixtures.state(#"{"status":"active"}"#),
        ]
    }
}

/// Checks that the occurrences of a schedule fit together.
enum ScheduleCheck {
    /// What is wrong with a schedule, near a random instant from 1900 to 2200.
    static func fault(of schedule: Schedule, _ random: inout SeededRandom) -> String? {
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 253_402_300_799)] {
            _ = (schedule.next(after: date), schedule.previous(atOrBefore: date))
        }
        let seconds = Int.random(in: -2_208_988_800...7_258_118_400, using: &random)
        let date = Date(timeIntervalSince1970: Double(seconds))
        if let previous = schedule.previous(atOrBefore: date), previous > date { return "\(previous) is after \(date)" }
        guard let next = schedule.next(after: date) else { return nil }
        guard next > date else { return "\(next) is not after \(date)" }
        guard schedule.previous(atOrBefore: next) == next else {
            return "\(next) is after \(date), and not before itself"
        }
        let count = schedule.count(after: date, through: next)
        return count == 1 ? nil : "\(count) occurrences from \(date) through the first one at \(next)"
    }
}
