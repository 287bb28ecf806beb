// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Decodes the Huffman code of RFC 7541 appendix B.
///
/// The code is canonical, so that the lengths of its words say all: eight bits at a time find the frequent symbols in
/// a table, the others are found by comparing with the first word of each length.
struct HuffmanDecoder: Sendable {
    static let shared = HuffmanDecoder()

    private static let endOfString = 256
    private static let longestWord = 30

    /// By the next eight bits: the symbol, and above it the length of its word; 0 where that is longer than eight bits.
    private let short: [UInt16]
    /// Symbols in the order of their words.
    private let symbols: [UInt16]
    /// By length: where words of the next length begin, aligned to the left of 32 bits.
    private var limits = [UInt64](repeating: 0, count: Self.longestWord + 1)
    /// By length: its first word, and the place of that word's symbol.
    private var first = [Int](repeating: 0, count: Self.longestWord + 1)
    private var places = [Int](repeating: 0, count: Self.longestWord + 1)

    private init() {
        let lengths = Self.lengths
        let order = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        var short = [UInt16](repeating: 0, count: 256)
        var word = 0
        var place = 0
        for length in 1...Self.longestWord {
            word <<= 1
            self.first[length] = word
            self.places[length] = place
            while place < order.count, lengths[order[place]] == length {
                if length <= 8 {
                    let entry = UInt16(order[place]) | UInt16(length) << 8
                    for suffix in 0..<(1 << (8 - length)) { short[word << (8 - length) | suffix] = entry }
                }
                word += 1
                place += 1
            }
            self.limits[length] = UInt64(word) << (32 - length)
        }
        self.short = short
        self.symbols = order.map { UInt16($0) }
    }

    /// The most bytes that so many bytes of Huffman code can stand for: the shortest word has five bits.
    static func longest(of count: Int) -> Int { count * 8 / 5 + 1 }

    /// Decodes a string to a place with room for the longest that it can stand for.
    ///
    /// - Returns: how many bytes it stands for.
    func decode(_ coded: Bytes, into output: UnsafeMutablePointer<UInt8>) throws(HPACKError) -> Int {
        var bits: UInt64 = 0
        var available = 0
        var taken = 0
        var count = 0
        while true {
            while available <= 56, taken < coded.count {
                bits |= UInt64(coded[taken]) &<< UInt64(56 &- available)
                available &+= 8
                taken &+= 1
            }
            let entry = self.short[Int(bits &>> 56)]
            var (symbol, length) = (Int(entry & 0xff), Int(entry &>> 8))
            if length == 0 { (symbol, length) = self.long(UInt64(bits &>> 32)) }
            guard length <= available else { break }
            guard symbol != Self.endOfString else { throw HPACKError(reason: "a Huffman code says where it ends") }
            output[count] = UInt8(truncatingIfNeeded: symbol)
            count &+= 1
            bits &<<= UInt64(length)
            available &-= length
        }
        // What is left is padding: fewer than eight bits, all of them ones.
        let ones = ~UInt64(0) &<< UInt64(64 &- available)
        guard available < 8, available == 0 || bits == ones else {
            throw HPACKError(reason: "a Huffman code does not end as it must")
        }
        return count
    }

    private func long(_ window: UInt64) -> (symbol: Int, length: Int) {
        var length = 9
        while length < Self.longestWord, window >= self.limits[length] { length += 1 }
        let word = Int(window &>> UInt64(32 &- length))
        return (Int(self.symbols[self.places[length] + word - self.first[length]]), length)
    }

    /// The lengths of the words in bits, by symbol; the last is that of the end of a string.
    private static let lengths: [Int] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ]
}
