// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A type of Live Activity that an app has: the name of its attributes and how they are decoded.
public struct ActivityType: Sendable, Hashable, Codable {
    /// The name of the attributes type, without its module.
    public var name: String
    /// The type itself: what never changes.
    public var attributes: AttributesShape
    /// Its `ContentState`: what updates change.
    public var contentState: AttributesShape

    /// A type of this name.
    public init(name: String, attributes: AttributesShape = .empty, contentState: AttributesShape) {
        self.name = name
        self.attributes = attributes
        self.contentState = contentState
    }
}
