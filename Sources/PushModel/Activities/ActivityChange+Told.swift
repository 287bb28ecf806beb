// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ActivityChange {
    /// The content with which phones begin, as a change.
    package init(beginning activity: Activity) {
        let lifecycle = activity.lifecycle
        self.init(
            contentState: lifecycle.contentState.map { .replaced($0) },
            alert: activity.startAlert,
            staleDate: lifecycle.staleDate.map { .at(Date(timeIntervalSince1970: Double($0))) },
            relevanceScore: lifecycle.relevanceScore,
            priority: lifecycle.priority
        )
    }

    /// The change as the API takes it: an object in JSON, without instants.
    ///
    /// - Parameter limit: how many bytes it may have. What is longer is told without its content state, and where that is not
    ///   enough without its alert; `omittedBytes` says how many bytes these have.
    /// - Returns: the JSON.
    package func told(upTo limit: Int) -> [UInt8] {
        var state: [UInt8] = []
        switch self.contentState {
        case nil: break
        case .replaced(let fragment), .patched(let fragment): state = fragment.bytes
        }
        let whole = self.told(state, self.alert, omitting: 0)
        if whole.count <= limit { return whole }
        let short = self.told([], self.alert, omitting: state.count)
        if short.count <= limit { return short }
        return self.told([], nil, omitting: whole.count)
    }

    private func told(_ state: [UInt8], _ alert: LiveActivityAlert?, omitting omitted: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if !state.isEmpty {
            if case .patched = self.contentState { writer.key("patch") } else { writer.key("contentState") }
            writer.raw(state)
        }
        if let alert {
            writer.key("alert")
            writer.alert(alert)
        }
        switch self.staleDate {
        case nil: break
        case .never: writer.member("staleDate", "never")
        case .at(let date): writer.member("staleDate", date)
        case .after(let seconds): writer.member("staleAfter", seconds)
        }
        if let relevanceScore, relevanceScore.isFinite {
            writer.key("relevanceScore")
            writer.double(relevanceScore)
        }
        writer.member("priority", self.priority.rawValue)
        if let policy = self.budget?.policy, policy != .warn { writer.member("budget", policy.rawValue) }
        if let end {
            writer.key("end")
            writer.beginObject()
            switch end {
            case .standard: break
            case .immediate: writer.member("dismissal", "immediate")
            case .at(let date): writer.member("at", date)
            case .after(let seconds): writer.member("after", seconds)
            }
            writer.endObject()
        }
        if omitted > 0 { writer.member("omittedBytes", omitted) }
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ text: String) {
        self.key(name)
        self.string(text)
    }

    fileprivate mutating func member(_ name: String, _ number: Int) {
        self.key(name)
        self.integer(number)
    }

    fileprivate mutating func member(_ name: String, _ date: Date) {
        self.member(name, date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    fileprivate mutating func alert(_ alert: LiveActivityAlert) {
        self.beginObject()
        self.key("title")
        self.text(alert.title)
        self.key("body")
        self.text(alert.body)
        if let sound = alert.sound { self.member("sound", sound) }
        self.endObject()
    }

    private mutating func text(_ text: AlertText) {
        switch text {
        case .plain(let text): self.string(text)
        case .localized(let key, let arguments):
            self.beginObject()
            self.member("key", key)
            if !arguments.isEmpty {
                self.key("arguments")
                self.beginArray()
                for argument in arguments { self.string(argument) }
                self.endArray()
            }
            self.endObject()
        }
    }
}
