// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The rule of an attribute's value; an empty value, which removes the attribute, is always valid.
enum AttributeConstraint: Sendable {
    case text(maximumCharacters: Int)
    case flag
    case words([String])
    case number(ClosedRange<Int>)
    case jsonObject
    case topicARN
    case deliveryPolicy

    /// Checks a value.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` with name, value and rule.
    func check(_ value: String, name: String, at place: AttributeLocation) throws(SNSError) {
        if let fault = XMLText.fault(in: value) { throw place.error("\(name): \(fault)") }
        guard value.isEmpty || self.holds(for: value) else {
            throw place.error("\(name): Invalid value [\(value.cut)]. Must be \(self.phrase).")
        }
    }

    /// Whether two values mean the same; SNS returns JSON in another notation than it was given.
    func areEqual(_ value: String, _ other: String) -> Bool {
        if value == other { return true }
        switch self {
        case .jsonObject:
            guard let document = try? JSONValue(json: Array(value.utf8)) else { return false }
            return document == (try? JSONValue(json: Array(other.utf8)))
        case .deliveryPolicy:
            guard let policy = DeliveryPolicy(json: value) else { return false }
            return policy == DeliveryPolicy(json: other)
        default: return false
        }
    }

    private func holds(for value: String) -> Bool {
        switch self {
        case .text(let count): value.count <= count
        case .flag: Bool(value.lowercased()) != nil
        case .words(let words): words.contains(value)
        case .number(let range): Int(value).map(range.contains) ?? false
        case .jsonObject: (try? JSONScanner.validateObject(Array(value.utf8))) != nil
        case .topicARN: (try? TopicARN(value, region: nil)) != nil
        case .deliveryPolicy: DeliveryPolicy(json: value) != nil
        }
    }

    private var phrase: String {
        switch self {
        case .text(let count): "at most \(count) characters"
        case .flag: "true or false"
        case .words(let words): words.joined(separator: " or ")
        case .number(let range): "a number of \(range.lowerBound)...\(range.upperBound)"
        case .jsonObject: "a JSON object"
        case .topicARN: "the ARN of a topic"
        case .deliveryPolicy: "a delivery policy in JSON: \(DeliveryPolicy.rules)"
        }
    }
}
