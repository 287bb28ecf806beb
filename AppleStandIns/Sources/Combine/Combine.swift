// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

// The part of Combine that SwiftUI's `onReceive` and `NotificationCenter.publisher(for:)` need. Demand, schedulers,
// operators and subjects are missing.

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    /// Replaces `receive(subscriber:)`: passes every value to `receiveValue` until the subscription is cancelled.
    func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable
}

public protocol Cancellable {
    func cancel()
}

public final class AnyCancellable: Cancellable, Hashable {
    private var onCancel: (() -> Void)?

    public init(_ cancel: @escaping () -> Void) { self.onCancel = cancel }

    deinit { self.onCancel?() }

    public func cancel() {
        self.onCancel?()
        self.onCancel = nil
    }

    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension NotificationCenter {
    public struct Publisher: Combine.Publisher {
        public typealias Output = Notification
        public typealias Failure = Never

        public let center: NotificationCenter
        public let name: Notification.Name
        public let object: AnyObject?

        public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Delivers values on the posting thread, as Combine does.
        public func sink(receiveValue: @escaping (Notification) -> Void) -> AnyCancellable {
            let center = self.center
            // The block captures the observer, and the center can call the block on any thread.
            nonisolated(unsafe) let receive = receiveValue
            let token = center.addObserver(forName: self.name, object: self.object, queue: nil) { receive($0) }
            return AnyCancellable { center.removeObserver(token) }
        }
    }

    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
        Publisher(center: self, name: name, object: object)
    }
}
