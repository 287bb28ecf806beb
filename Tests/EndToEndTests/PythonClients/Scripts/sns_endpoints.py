# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Platform applications and endpoints through boto3; the server, region and key are those of the environment.

The last line is how many messages were published to the phone.
"""

import json
import os
import re

import boto3
from botocore.exceptions import ClientError

sns = boto3.client("sns")
APP = os.environ["APP"]
TOKEN = os.environ["TOKEN"]
PREFIX = f"arn:aws:sns:{os.environ['AWS_DEFAULT_REGION']}:{os.environ['ACCOUNT']}"

CREDENTIALS = {
    "p12": {"PlatformCredential": os.environ["P12"], "PlatformPrincipal": os.environ["P12_PASSWORD"]},
    "pem": {"PlatformCredential": os.environ["PRIVATE_KEY"], "PlatformPrincipal": os.environ["CERTIFICATE"]},
    "p8": {
        "PlatformCredential": os.environ["P8"],
        "PlatformPrincipal": os.environ["KEY_ID"],
        "ApplePlatformTeamID": os.environ["TEAM_ID"],
        "ApplePlatformBundleID": APP,
    },
}


def create(name, attributes):
    answer = sns.create_platform_application(Name=name, Platform="APNS", Attributes=attributes)
    return answer["PlatformApplicationArn"]


def register(application, token):
    """AWS' own routine: an endpoint that exists with other attributes is found in the error."""
    try:
        return sns.create_platform_endpoint(PlatformApplicationArn=application, Token=token)["EndpointArn"]
    except ClientError as error:
        found = re.match(
            r".*Endpoint (arn:aws:sns[^ ]+) already exists with the same [Tt]oken.*", error.response["Error"]["Message"]
        )
        if not found:
            raise
        return found.group(1)


def expect(exception, call, **parameters):
    try:
        call(**parameters)
    except exception as error:
        return error.response["Error"]["Message"]
    raise AssertionError(f"{call} was not refused")


published = 0
applications = {}
for kind, attributes in CREDENTIALS.items():
    # Each takes the place of the one before: the phone is reached through this credential and no other.
    application = applications[kind] = create(f"watchme-{kind}", attributes)
    assert application == f"{PREFIX}:app/APNS/watchme-{kind}", application
    shown = sns.get_platform_application_attributes(PlatformApplicationArn=application)["Attributes"]
    assert shown["Enabled"] == "true", shown
    assert shown["AuthenticationMethod"] == ("token" if kind == "p8" else "certificate"), shown
    assert "PlatformCredential" not in shown and "PlatformPrincipal" not in shown, shown
    assert ("AppleCertificateExpiryDate" in shown) == (kind != "p8"), shown
    endpoint = register(application, TOKEN)
    message = json.dumps({"APNS": json.dumps({"aps": {"alert": f"from {kind}"}})})
    sns.publish(TargetArn=endpoint, Message=message, MessageStructure="json")
    published += 1

application = applications["p8"]
endpoint = register(application, TOKEN)
assert register(application, TOKEN.upper()) == endpoint
sns.set_endpoint_attributes(EndpointArn=endpoint, Attributes={"CustomUserData": "user 7 <&>"})
attributes = sns.get_endpoint_attributes(EndpointArn=endpoint)["Attributes"]
assert attributes == {"CustomUserData": "user 7 <&>", "Enabled": "true", "Token": TOKEN}, attributes
# The sentence of the error leads to the endpoint that is there.
assert register(application, TOKEN) == endpoint

sns.set_endpoint_attributes(EndpointArn=endpoint, Attributes={"Enabled": "false"})
assert expect(sns.exceptions.EndpointDisabledException, sns.publish, TargetArn=endpoint, Message="no") == (
    "Endpoint is disabled"
)
sns.set_endpoint_attributes(EndpointArn=endpoint, Attributes={"Enabled": "true", "Token": TOKEN})
attributes = {
    "AWS.SNS.MOBILE.APNS.COLLAPSE_ID": {"DataType": "String", "StringValue": "score"},
    "AWS.SNS.MOBILE.APNS.PRIORITY": {"DataType": "String", "StringValue": "5"},
    "AWS.SNS.MOBILE.APNS.TTL": {"DataType": "Number", "StringValue": "600"},
    "device_id": {"DataType": "String", "StringValue": "1"},
}
sns.publish(TargetArn=endpoint, Message="寿司 <&\"'>", MessageAttributes=attributes)
published += 1

for number in range(230):
    sns.create_platform_endpoint(PlatformApplicationArn=application, Token=f"{number:064x}")
pages = sns.get_paginator("list_endpoints_by_platform_application")
endpoints = [
    endpoint for page in pages.paginate(PlatformApplicationArn=application) for endpoint in page["Endpoints"]
]
assert len(endpoints) == 231 and len({endpoint["EndpointArn"] for endpoint in endpoints}) == 231
listed = [
    listed["PlatformApplicationArn"]
    for page in sns.get_paginator("list_platform_applications").paginate()
    for listed in page["PlatformApplications"]
]
assert listed == sorted(applications.values()), listed

unknown = f"{PREFIX}:endpoint/APNS/watchme-p8/00000000-0000-0000-0000-000000000000"
expect(sns.exceptions.NotFoundException, sns.get_endpoint_attributes, EndpointArn=unknown)
expect(sns.exceptions.InvalidParameterException, sns.publish, TargetArn=unknown, Message="x")
assert "Value null at 'attributes'" in expect(
    ClientError, sns.set_endpoint_attributes, EndpointArn=endpoint, Attributes={}
)
sns.delete_endpoint(EndpointArn=endpoints[-1]["EndpointArn"])
sns.delete_platform_application(PlatformApplicationArn=applications["p12"])
other = boto3.client(
    "sns", aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"], aws_secret_access_key="wrong"
)
assert "signature" in expect(ClientError, other.list_platform_applications)
print(published)
