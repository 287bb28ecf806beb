// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is told of a new activity while it is read.
struct ActivityDraft: Sendable {
    static let members = [
        "attributesType", "attributes", "contentState", "alert", "staleDate", "relevanceScore", "priority", "instants",
    ]

    private(set) var attributesType: AttributesType?
    private var attributes: JSONFragment?
    private var contentState: JSONFragment?
    private var alert: LiveActivityAlert?
    private var staleDate: Date?
    private var relevanceScore: Double?
    private var priority: Priority?
    private var instants: [InstantName: Date] = [:]

    /// Reads the value of one of the members; whatever is wrong is noted.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "attributesType": self.attributesType = try reader.value(path, AttributesType.init(validating:))
        case "attributes": self.attributes = try ActivityChangeDraft.fragment(&reader, path)
        case "contentState": self.contentState = try ActivityChangeDraft.fragment(&reader, path)
        case "alert": self.alert = try ActivityAlertDraft.read(&reader, path)
        case "staleDate": self.staleDate = try reader.value(path, Timestamp.parse)
        case "relevanceScore": self.relevanceScore = try reader.double(path, in: -1e15...1e15)
        case "priority": self.priority = try ActivityChangeDraft.priority(&reader, path)
        case "instants": self.instants = try ActivityChangeDraft.instants(&reader, path).compactMapValues(\.self)
        default: try reader.skip()
        }
    }

    /// Whether it has anything that a type could say something about.
    var hasContent: Bool { self.contentState != nil || self.attributes != nil }

    /// Holds the content against its type, and converts the dates that the type wants converted.
    ///
    /// - Throws: ``Problem`` `.contentMismatch`.
    mutating func hold(to type: ActivityType?) throws(Problem) {
        do {
            if let schema = type?.contentState, let state = self.contentState {
                self.contentState = try schema.checked(state, field: "contentState")
            }
            if let schema = type?.attributes, let attributes = self.attributes {
                self.attributes = try schema.checked(attributes, field: "attributes")
            }
        } catch {
            throw Problem(error)
        }
    }

    /// The activity; `nil` when its type was not told.
    ///
    /// - Throws: ``Problem`` for what Apple would not take.
    func activity(
        _ id: ActivityID,
        of app: AppID,
        on channel: ActivityChannel? = nil,
        now: Date
    ) throws(Problem) -> Activity? {
        guard let attributesType else { return nil }
        do {
            return try Activity(
                id: id,
                app: app,
                attributesType: attributesType,
                attributes: self.attributes,
                contentState: self.contentState,
                startAlert: self.alert,
                staleDate: self.staleDate,
                relevanceScore: self.relevanceScore,
                priority: self.priority ?? .immediate,
                instants: self.instants,
                channel: channel,
                now: now
            )
        } catch {
            throw Problem(error)
        }
    }
}
