// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Which methods the paths of the control API know.
struct RouteTable: Sendable {
    private let routes: [(method: String, segments: [String])]

    /// A table of these routes; what is in braces in a path stands for anything.
    init(_ routes: [(method: String, path: String)]) {
        self.routes = routes.map { ($0.method, Self.segments($0.path)) }
    }

    /// The methods that a path knows, in alphabetical order; none for a path that nobody serves.
    func methods(of path: String) -> [String] {
        let segments = Self.segments(path)
        let methods = self.routes.filter { route in
            route.segments.count == segments.count
                && zip(route.segments, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }.map(\.method)
        // Whatever can be read can be asked for its head.
        return Set(methods + (methods.contains("GET") ? ["HEAD"] : [])).sorted()
    }

    private static func segments(_ path: String) -> [String] { path.split(separator: "/").map(String.init) }
}
