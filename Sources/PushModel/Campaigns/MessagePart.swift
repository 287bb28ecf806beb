// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Devices that one batch is for, with what they receive, or that fail for the same reason.
public struct MessagePart: Hashable, Sendable {
    /// What they receive; of those that fail, the template.
    public internal(set) var payload: BatchPayload

    /// Why no payload could be made for them, or `nil`.
    public let failure: FailureCode?

    /// Where they are reached.
    public internal(set) var targets: TargetList
}

/// Sorts devices by what they receive.
///
/// Those of one variant without personal values share its payload; all whose payload is personal go together, each with
/// its own.
struct MessageComposer {
    private enum Kind: Hashable {
        case shared(APNsPayload)
        case personal
        case failed(FailureCode)
    }

    /// What was found out for a locale.
    private struct Choice {
        let template: MessageTemplate
        /// The part of those who share the template's payload; `nil` where it is personal.
        let part: Int?
    }

    private let message: CampaignMessage
    private let limit: Int
    private var places: [Kind: Int] = [:]
    private var choices: [String?: Choice] = [:]
    /// The parts, in the order in which the first device of each was added.
    private(set) var parts: [MessagePart] = []

    init(_ message: CampaignMessage) {
        self.message = message
        self.limit = message.pushType.maximumPayloadBytes
    }

    mutating func add(_ member: AudienceMember) {
        let choice = self.choice(for: member.details.locale)
        if let part = choice.part { return self.parts[part].targets.append(member.target) }
        switch choice.template.render(member.details, limit: self.limit) {
        case .failed(let code):
            self.parts[self.failed(code, choice.template)].targets.append(member.target)
        case .payload(let payload):
            let place = self.place(.personal, payload: .distinct(PayloadList()))
            guard case .distinct(var list) = self.parts[place].payload else { return }
            // Emptied meanwhile, so that the list is not copied.
            self.parts[place].payload = .distinct(PayloadList())
            list.append(payload)
            self.parts[place].payload = .distinct(list)
            self.parts[place].targets.append(member.target)
        }
    }

    private mutating func choice(for locale: String?) -> Choice {
        if let known = self.choices[locale] { return known }
        let template = self.message.template(for: locale)
        let choice = Choice(template: template, part: template.isPersonal ? nil : self.sharedPart(template))
        self.choices[locale] = choice
        return choice
    }

    private mutating func sharedPart(_ template: MessageTemplate) -> Int {
        switch template.render(MemberDetails(), limit: self.limit) {
        case .payload(let payload): self.place(.shared(payload), payload: .shared(payload))
        case .failed(let code): self.failed(code, template)
        }
    }

    private mutating func failed(_ code: FailureCode, _ template: MessageTemplate) -> Int {
        self.place(.failed(code), payload: .shared(template.source), failure: code)
    }

    private mutating func place(_ kind: Kind, payload: BatchPayload, failure: FailureCode? = nil) -> Int {
        if let place = self.places[kind] { return place }
        self.places[kind] = self.parts.count
        self.parts.append(MessagePart(payload: payload, failure: failure, targets: TargetList()))
        return self.parts.count - 1
    }
}
