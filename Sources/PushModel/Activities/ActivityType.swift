// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import JSONSchema

/// A registered `ActivityAttributes` type of an app: the schemas of content that devices can decode.
public struct ActivityType: Hashable, Sendable {
    public static let maximumPerApp = 100
    public let app: AppID
    public let name: AttributesType

    /// The schema of the content state; `nil` if there is none.
    public var contentState: JSONSchema?

    /// The schema of the attributes; `nil` if there is none.
    public var attributes: JSONSchema?

    /// When it was registered first; kept to the millisecond.
    public var createdAt: Date

    /// When it was registered last; kept to the millisecond.
    public var updatedAt: Date

    public init(
        app: AppID,
        name: AttributesType,
        contentState: JSONSchema?,
        attributes: JSONSchema?,
        createdAt: Date,
        updatedAt: Date
    ) {
        self.app = app
        self.name = name
        self.contentState = contentState
        self.attributes = attributes
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension JSONSchema {
    /// Holds an object of an activity against the schema.
    ///
    /// - Returns: the object, with the dates converted that the schema wants converted; the same bytes where there are
    ///   none.
    /// - Throws: ``ActivityError`` `.mismatch`.
    public func checked(_ object: RawJSONObject, field: String) throws(ActivityError) -> RawJSONObject {
        let value: JSONValue
        let converted: JSONValue
        do {
            value = try JSONValue(json: object.bytes)
        } catch {
            throw .mismatch([InvalidValueError(field: field, rule: "a JSON object (RFC 8259)", value: error.message)])
        }
        do {
            converted = try self.converted(value, field: field)
        } catch {
            throw .mismatch([error])
        }
        let faults = self.faults(in: converted, field: field)
        guard faults.isEmpty else { throw .mismatch(faults) }
        guard converted != value, case .object(let members) = converted else { return object }
        // Values decoded from JSON are finite.
        return (try? RawJSONObject(members)) ?? object
    }

    /// The errors that a scheduled patch would add to the current content of an activity.
    ///
    /// Existing errors, and values that are not known yet, are not attributed to the patch: they are checked at its
    /// execution.
    func faults(ofPatch patch: RawJSONObject, to state: RawJSONObject, field: String) -> [InvalidValueError] {
        guard let before = try? JSONValue(json: state.bytes), let change = try? JSONValue(json: patch.bytes) else {
            return []
        }
        let known = Set(self.faults(in: (try? self.converted(before, field: field)) ?? before, field: field))
        do {
            let after = try self.converted(before.merging(patch: change), field: field)
            return self.faults(in: after, field: field).filter { !known.contains($0) }
        } catch {
            return [error]
        }
    }
}
