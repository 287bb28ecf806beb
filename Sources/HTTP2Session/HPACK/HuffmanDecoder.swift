// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Decodes the Huffman code of RFC 7541 appendix B.
///
/// The code is canonical, so that the lengths of its words say all. Twelve bits find two frequent symbols at once in a
/// table, such as two digits of a device token; a rare symbol is found by comparing with the first word of each length.
struct HuffmanDecoder {
    // Unsafe in name only: filled once, before anyone sees it, and only read from then on.
    nonisolated(unsafe) static let shared = HuffmanDecoder()

    private static let endOfString = 256
    private static let longestWord = 30
    private static let pairBits = 12

    /// By the next twelve bits: one or two symbols, above them the bits that they take, and above that how many they
    /// are; 0 where not even one symbol ends within the twelve.
    private let pairs: UnsafeMutablePointer<UInt32>
    /// Symbols in the order of their words.
    private let symbols: [Int]
    /// By length: where words of the next length begin, aligned to the left of 64 bits; `max` for the longest.
    private var limits = [UInt64](repeating: 0, count: Self.longestWord + 1)
    /// By length: its first word, and the place of that word's symbol.
    private var first = [Int](repeating: 0, count: Self.longestWord + 1)
    private var places = [Int](repeating: 0, count: Self.longestWord + 1)

    private init() {
        let lengths = Self.lengths
        self.symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        self.pairs = .allocate(capacity: 1 << Self.pairBits)
        var word = 0
        var place = 0
        for length in 1...Self.longestWord {
            word <<= 1
            self.first[length] = word
            self.places[length] = place
            while place < self.symbols.count, lengths[self.symbols[place]] == length {
                word += 1
                place += 1
            }
            self.limits[length] = length < Self.longestWord ? UInt64(word) << (64 - length) : .max
        }
        for bits in 0..<(1 << Self.pairBits) {
            (self.pairs + bits).initialize(to: self.pair(UInt64(bits) << (64 - Self.pairBits)))
        }
    }

    private func pair(_ bits: UInt64) -> UInt32 {
        let first = self.word(bits)
        guard first.length <= Self.pairBits else { return 0 }
        let second = self.word(bits << first.length)
        guard first.length + second.length <= Self.pairBits else {
            return UInt32(first.symbol | first.length << 16 | 1 << 24)
        }
        return UInt32(first.symbol | second.symbol << 8 | (first.length + second.length) << 16 | 2 << 24)
    }

    /// The first word of some bits, which are aligned to the left.
    private func word(_ bits: UInt64) -> (symbol: Int, length: Int) {
        var length = 5
        while bits >= self.limits[length], length < Self.longestWord { length += 1 }
        let word = Int(bits >> (64 - length))
        return (self.symbols[self.places[length] + word - self.first[length]], length)
    }

    /// The capacity for decoding this number of bytes: the shortest code has five bits, and symbols are written in
    /// pairs.
    static func room(for count: Int) -> Int { count * 8 / 5 + 2 }

    /// Decodes a string to a buffer with the capacity for the longest possible result.
    ///
    /// - Returns: the number of decoded bytes.
    func decode(_ coded: UnownedBytes, into output: UnsafeMutablePointer<UInt8>) throws(HPACKError) -> Int {
        var bits: UInt64 = 0
        var available = 0
        var taken = 0
        var count = 0
        while true {
            if available < Self.longestWord {
                while available <= 56, taken < coded.count {
                    bits |= UInt64(coded[taken]) &<< UInt64(56 &- available)
                    available &+= 8
                    taken &+= 1
                }
            }
            let pair = self.pairs[Int(bits &>> UInt64(64 &- Self.pairBits))]
            let pairLength = Int(pair &>> 16 & 0xff)
            if pair != 0, pairLength <= available {
                output[count] = UInt8(truncatingIfNeeded: pair)
                output[count &+ 1] = UInt8(truncatingIfNeeded: pair &>> 8)
                count &+= Int(pair &>> 24)
                bits &<<= UInt64(pairLength)
                available &-= pairLength
                continue
            }
            let (symbol, length) = self.word(bits)
            guard length <= available else { break }
            guard symbol != Self.endOfString else { throw HPACKError(reason: "a Huffman code says where it ends") }
            output[count] = UInt8(truncatingIfNeeded: symbol)
            count &+= 1
            bits &<<= UInt64(length)
            available &-= length
        }
        // The rest is padding: fewer than eight bits, all of them ones.
        let ones = ~UInt64(0) &<< UInt64(64 &- available)
        guard available < 8, available == 0 || bits == ones else {
            throw HPACKError(reason: "a Huffman code does not end as it must")
        }
        return count
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
