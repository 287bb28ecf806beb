// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SNSProtocol
import Testing

@Suite("Answers that are read", .timeLimit(.minutes(20)))
struct XMLElementTests {
    @Test("are what was written, entities and lists and maps included")
    func written() throws {
        let topic = try TopicARN("arn:aws:sns:ap-northeast-1:000000000000:news", region: nil)
        let attributes = [
            SNSAttribute(name: "DisplayName", value: "<寿司> & \"'\u{1F363}"), SNSAttribute(name: "Empty", value: ""),
        ]
        let answer = SNSResponse(.attributes(.getTopicAttributes, attributes), requestID: "1")
        let read = try #require(XMLElement(String(decoding: answer.body, as: UTF8.self)))
        #expect(read.name == "GetTopicAttributesResponse")
        let map = read["GetTopicAttributesResult"]?.map("Attributes")
        #expect(map == ["DisplayName": "<寿司> & \"'\u{1F363}", "Empty": ""])
        let list = SNSResponse(.topics([topic, topic], nextToken: "next"), requestID: "2")
        let topics = try #require(XMLElement(String(decoding: list.body, as: UTF8.self)))["ListTopicsResult"]
        #expect(topics?.members(of: "Topics").map { $0["TopicArn"]?.text } == [topic.description, topic.description])
        #expect(topics?["NextToken"]?.text == "next")
        let none = SNSResponse(.topics([], nextToken: nil), requestID: "3")
        let empty = try #require(XMLElement(String(decoding: none.body, as: UTF8.self)))["ListTopicsResult"]
        #expect(empty?.members(of: "Topics").isEmpty == true)
    }

    @Test("a text may begin with a combining mark, and an entity may be followed by one")
    func combiningMarks() throws {
        let read = try #require(XMLElement("<a><value>\u{0ABE}N</value><key>&amp;\u{0301}&#x41;</key></a>"))
        #expect(read["value"]?.text == "\u{0ABE}N")
        #expect(read["key"]?.text == "&\u{0301}A")
    }

    @Test("may have a declaration, comments, prefixes and numbered entities")
    func forms() throws {
        let text = "<?xml version=\"1.0\"?><!-- x > --><a:R xmlns:a=\"b\"><C k='v'>&#x5BFF;&#21496;</C><D/></a:R>"
        let read = try #require(XMLElement(text))
        #expect(read.name == "R")
        #expect(read["C"]?.text == "寿司")
        #expect(read["D"]?.text == "")
    }

    @Test(
        "are refused when they are none",
        arguments: ["", "x", "<", "<a", "<a>", "<a><b></a></b>", "</a>", "<!-- ", "<html><br></html>"]
    )
    func refused(text: String) {
        #expect(XMLElement(text) == nil)
    }

    @Test("are not followed into any depth")
    func depth() {
        let text = String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
        #expect(XMLElement(text) == nil)
    }
}
