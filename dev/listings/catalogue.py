# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The listings that are known, each by the SHA-256 of its text.

A document that is changed has listings that stand here no more, and lacks some that do: both are told of, since nobody knows
what an unknown listing is to do. Whoever has read it anew writes its digest down here.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    #: The number of the document, and the place of the listing in it.
    key: str
    language: str
    what: str
    digest: str

    @property
    def differences(self):
        """What an iPhone does otherwise than this run shows."""
        return DIFFERENCES.get(self.key, [])


KNOWN = [
    Known(key, language, what, digest)
    for key, language, what, digest in (
        ("000/1", "swift", "starts an activity, registers its token",
         "ca6c675f3b329419d14cd2a716c5ee515b78728d46937c2b787682ab9d190e37"),
        ("000/2", "python", "the client of APNs",
         "d36c233c227ada31aa032ab1ec4d8b942c584ea8d413b4177b815c0c9a45bd2a"),
        ("000/3", "python", "the job of every minute",
         "2f9e2e3d23d5b885cfb694a1a264e157928fa262fa3d5329a3445fca8d5fa8e3"),
        ("001/1", "mermaid", "how it fits together",
         "e4de108eb30b889a8857b8b2a668762438a5bb40e82b47c62a1b5da4e55bd1c8"),
        ("001/2", "bash", "makes the topic",
         "d09ccb2f57b4c62fa53f0f4760a8b49fe6483bd5c05d851fe4f147e5451d6e4a"),
        ("001/3", "bash", "makes the platform application",
         "99cb1a19b5a36a63b5a53755dda3e8f1decb1cc90f608e87e194a5fdc9ce37ad"),
        ("001/4", "json", "the worker's policy",
         "23d0cf126cbb9f15e1233bd2cb64170a1824da65b8b6cca541fe399af9182b0c"),
        ("001/5", "python", "the worker that publishes",
         "217a3891f57ce39a9d777b401f504f2bcd2a328ac039cb2ddb5e639e4b4ef905"),
        ("001/6", "swift", "the app and its delegate",
         "57b539c4e29855885527027a4bb7929d3fe9df5e28d57e1d6c535b2be9b2af31"),
        ("001/7", "swift", "the view that is refreshed",
         "338bf6b8bf473b93e21ff969907b626202490ea204fc5fcfa07522d92fe2a55a"),
        ("001/8", "sql", "the column for tokens",
         "1aa4c9c66cd6239d2e0f5942b378ba31d8d05f6675cbdc46b0c784f7fde70074"),
        ("001/9", "python", "the worker's test",
         "e0ed9fc0f8f8d5eb91e70fa2e60d2aefc71833ca941f318c25d4500df9a398bb"),
        ("003/1", "swift", "the attributes",
         "d4edcd3f07c6726525ef2c3e66b8af04b6b2bb05d15fb4b6789c3ffcf7168fe1"),
        ("003/2", "swift", "the widget bundle",
         "e5177087ab19aaf643fe69e8e3ef715e63d6114345bab31d2af71d04d920134a"),
        ("003/3", "swift", "the view's body",
         "4fc57611872730d6565219068aceb72ab761e1b9a92bf40a0cf9ec00a3fc0c3b"),
        ("003/4", "swift", "starts, once",
         "989ee2bf9345f188124d423f715a38941b79545db4ee85e209b4d85138402cbf"),
        ("003/5", "swift", "changes every 10 s",
         "5e1da1a69c048ac9311ef8ed2f40bb322553601db344dfc310cc939d37673b5d"),
        ("003/6", "swift", "updates",
         "05e5426a6ea0195bb0bea6efe6073c3c3f5aa8524c4444170b2bc66abb6110c3"),
        ("003/7", "swift", "ends",
         "a87247ce002d16ba1946471c48c28917ebbf32a783c8afddab3c42c95b954e2e"),
    )
]


DIFFERENCES = {
    "000/1": [
        "the listing names no pushType, so its activity never has a token, and nothing is registered; here `request` asks "
        "for one",
        "a token is nil when `request` returns and comes later; here it is there at once, so that `if let` finds it",
    ],
    "003/2": ["Apple's SDK has no ActivityConfiguration(attributesType:) any more: the listing does not compile"],
    "003/5": ["the timer stands still while the app is suspended; here the process of the app is never suspended"],
}


class Unknown(Exception):
    """Documents that are not those whose listings are known; says which and where."""


def recognise(listings):
    """The listings by their keys, each once."""
    by_digest = {known.digest: known for known in KNOWN}
    found = {by_digest[listing.digest].key: listing for listing in listings if listing.digest in by_digest}
    faults = [
        f"{listing.document}, line {listing.line}: a listing in {listing.language} that is not known, or has changed "
        f"(SHA-256 {listing.digest}): {listing.text.splitlines()[0][:60]!r}"
        for listing in listings
        if listing.digest not in by_digest
    ]
    faults += [
        f"listing {known.key} ({known.what}) is in none of the documents"
        for known in KNOWN
        if known.key not in found
    ]
    if faults:
        raise Unknown("\n".join(faults))
    return found
