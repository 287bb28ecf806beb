# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""The other side of signed deliveries.

deliveries.py identity           writes a new RSA key and a certificate for it, both in PEM, as JSON
deliveries.py verify FILE        verifies the documents of a list [certificate, documents], as AWS tells subscribers to
"""

import base64
import datetime
import json
import sys

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

NAMES = {
    "Notification": ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
    "SubscriptionConfirmation": ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
    "UnsubscribeConfirmation": ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
}
HASHES = {"1": hashes.SHA1(), "2": hashes.SHA256()}


def identity():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sns.example.com")])
    now = datetime.datetime(2026, 1, 1)
    builder = x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key(), serial_number=1)
    builder = builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=3650))
    certificate = builder.sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {"key": private.decode(), "certificate": certificate.public_bytes(pem).decode()}


def verify(certificate, text):
    document = json.loads(text)
    names = [name for name in NAMES[document["Type"]] if name in document]
    signed = "".join(f"{name}\n{document[name]}\n" for name in names)
    key = x509.load_pem_x509_certificate(certificate.encode()).public_key()
    signature = base64.b64decode(document["Signature"])
    try:
        key.verify(signature, signed.encode(), padding.PKCS1v15(), HASHES[document["SignatureVersion"]])
        return True
    except InvalidSignature:
        return False


if sys.argv[1] == "identity":
    json.dump(identity(), sys.stdout)
else:
    with open(sys.argv[2], encoding="utf-8") as file:
        certificate, documents = json.load(file)
    json.dump([verify(certificate, text) for text in documents], sys.stdout)
