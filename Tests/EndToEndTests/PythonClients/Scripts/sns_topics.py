# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Topics, tags, subscriptions and batches through boto3; the server, region and key are those of the environment.

The last line is how many messages the phone gets of what was published.
"""

import json
import os

import boto3
from botocore.exceptions import ClientError

sns = boto3.client("sns")
PREFIX = f"arn:aws:sns:{os.environ['AWS_DEFAULT_REGION']}:{os.environ['ACCOUNT']}"


def expect(exception, call, **parameters):
    try:
        call(**parameters)
    except exception as error:
        return error.response["Error"]["Message"]
    raise AssertionError(f"{call} was not refused")


application = sns.create_platform_application(
    Name="watchme",
    Platform="APNS",
    Attributes={
        "PlatformCredential": os.environ["P8"],
        "PlatformPrincipal": os.environ["KEY_ID"],
        "ApplePlatformTeamID": os.environ["TEAM_ID"],
        "ApplePlatformBundleID": os.environ["APP"],
    },
)["PlatformApplicationArn"]
endpoint = sns.create_platform_endpoint(PlatformApplicationArn=application, Token=os.environ["TOKEN"])["EndpointArn"]

# Topics
tags = [{"Key": "team", "Value": "a<b>&c"}]
topic = sns.create_topic(Name="news", Attributes={"DisplayName": "News"}, Tags=tags)["TopicArn"]
assert topic == f"{PREFIX}:news", topic
assert sns.create_topic(Name="news")["TopicArn"] == topic
assert "different attributes" in expect(
    sns.exceptions.InvalidParameterException, sns.create_topic, Name="news", Attributes={"DisplayName": "Other"}
)
assert "different tags" in expect(
    sns.exceptions.InvalidParameterException, sns.create_topic, Name="news", Tags=[{"Key": "x", "Value": ""}]
)
other = {"Key": "stage", "Value": "test"}
both = sns.create_topic(Name="both", Tags=tags + [other])["TopicArn"]
assert sns.create_topic(Name="both", Tags=[other], Attributes={"FifoTopic": "false"})["TopicArn"] == both
assert "FifoTopic" not in sns.get_topic_attributes(TopicArn=both)["Attributes"]
sns.delete_topic(TopicArn=both)
sns.create_topic(Name="both", Tags=[{"Key": "stage", "Value": "live"}])
assert sns.list_tags_for_resource(ResourceArn=both)["Tags"] == [{"Key": "stage", "Value": "live"}]
sns.delete_topic(TopicArn=both)
expect(sns.exceptions.InvalidParameterException, sns.create_topic, Name="no topic")
expect(sns.exceptions.InvalidParameterException, sns.create_topic, Name="a.fifo", Attributes={"FifoTopic": "true"})
sns.set_topic_attributes(TopicArn=topic, AttributeName="DisplayName", AttributeValue="寿司 <&>")
attributes = sns.get_topic_attributes(TopicArn=topic)["Attributes"]
assert attributes["DisplayName"] == "寿司 <&>" and attributes["TopicArn"] == topic, attributes
assert attributes["SubscriptionsConfirmed"] == "0" and json.loads(attributes["Policy"]), attributes
sns.tag_resource(ResourceArn=topic, Tags=[{"Key": "stage", "Value": "test"}])
sns.untag_resource(ResourceArn=topic, TagKeys=["team", "none"])
assert sns.list_tags_for_resource(ResourceArn=topic)["Tags"] == [{"Key": "stage", "Value": "test"}]
expect(sns.exceptions.ResourceNotFoundException, sns.list_tags_for_resource, ResourceArn=f"{PREFIX}:none")
expect(sns.exceptions.NotFoundException, sns.get_topic_attributes, TopicArn=f"{PREFIX}:none")
for number in range(120):
    sns.create_topic(Name=f"topic-{number:03}")
names = [topic["TopicArn"] for page in sns.get_paginator("list_topics").paginate() for topic in page["Topics"]]
assert len(names) == 121 and names == sorted(names), len(names)
sns.delete_topic(TopicArn=f"{PREFIX}:topic-000")
sns.delete_topic(TopicArn=f"{PREFIX}:topic-000")

# Subscriptions
subscription = sns.subscribe(TopicArn=topic, Protocol="application", Endpoint=endpoint)["SubscriptionArn"]
assert subscription.startswith(topic + ":"), subscription
for defaults in [{}, {"FilterPolicyScope": "MessageAttributes"}, {"RawMessageDelivery": "false"}]:
    again = sns.subscribe(TopicArn=topic, Protocol="application", Endpoint=endpoint, Attributes=defaults)
    assert again["SubscriptionArn"] == subscription, again
expect(
    sns.exceptions.NotFoundException, sns.subscribe, TopicArn=f"{PREFIX}:none", Protocol="application", Endpoint="x"
)
assert "different attributes" in expect(
    sns.exceptions.InvalidParameterException,
    sns.subscribe,
    TopicArn=topic,
    Protocol="application",
    Endpoint=endpoint,
    Attributes={"FilterPolicy": '{"kind":["a"]}'},
)
for protocol, place in [("email", "a@example.com"), ("sms", "+1"), ("sqs", "arn:aws:sqs:a:b:c"), ("carrier", "x")]:
    expect(
        sns.exceptions.InvalidParameterException, sns.subscribe, TopicArn=topic, Protocol=protocol, Endpoint=place
    )
policy = '{"kind": ["news", {"prefix": "sport"}], "urgency": [{"numeric": [">=", 3]}]}'
sns.set_subscription_attributes(
    SubscriptionArn=subscription, AttributeName="FilterPolicy", AttributeValue=policy
)
attributes = sns.get_subscription_attributes(SubscriptionArn=subscription)["Attributes"]
assert attributes["FilterPolicy"] == policy and attributes["FilterPolicyScope"] == "MessageAttributes", attributes
assert attributes["Endpoint"] == endpoint and attributes["Protocol"] == "application", attributes
assert attributes["PendingConfirmation"] == "false" and "apus.application" not in attributes, attributes
expect(
    sns.exceptions.InvalidParameterException,
    sns.set_subscription_attributes,
    SubscriptionArn=subscription,
    AttributeName="FilterPolicy",
    AttributeValue='{"kind": []}',
)
listed = [
    listed
    for page in sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic)
    for listed in page["Subscriptions"]
]
assert [(each["SubscriptionArn"], each["Endpoint"]) for each in listed] == [(subscription, endpoint)], listed
assert sns.list_subscriptions()["Subscriptions"] == listed
assert sns.get_topic_attributes(TopicArn=topic)["Attributes"]["SubscriptionsConfirmed"] == "1"


# Messages
def wanted(kind, urgency):
    return {
        "kind": {"DataType": "String", "StringValue": kind},
        "urgency": {"DataType": "Number", "StringValue": str(urgency)},
    }


received = 0
sns.publish(TopicArn=topic, Message="first", MessageAttributes=wanted("sports", 5))
received += 1
sns.publish(TopicArn=topic, Message="not wanted", MessageAttributes=wanted("sports", 1))
sns.publish(TargetArn=topic, Message="not wanted either")
batch = sns.publish_batch(
    TopicArn=topic,
    PublishBatchRequestEntries=[
        {"Id": f"id-{number}", "Message": f"entry {number}", "MessageAttributes": wanted("news", number)}
        for number in range(6)
    ],
)
assert [entry["Id"] for entry in batch["Successful"]] == [f"id-{number}" for number in range(6)], batch
assert batch["Failed"] == [], batch
received += 3
sns.set_subscription_attributes(SubscriptionArn=subscription, AttributeName="FilterPolicy", AttributeValue="")
sns.set_subscription_attributes(
    SubscriptionArn=subscription, AttributeName="FilterPolicyScope", AttributeValue="MessageBody"
)
sns.set_subscription_attributes(
    SubscriptionArn=subscription, AttributeName="FilterPolicy", AttributeValue='{"store": {"city": ["東京"]}}'
)
sns.publish(TopicArn=topic, Message=json.dumps({"store": {"city": "東京"}}))
received += 1
sns.publish(TopicArn=topic, Message=json.dumps({"store": {"city": "大阪"}}))
expect(
    sns.exceptions.TooManyEntriesInBatchRequestException,
    sns.publish_batch,
    TopicArn=topic,
    PublishBatchRequestEntries=[{"Id": str(number), "Message": "x"} for number in range(11)],
)
expect(
    sns.exceptions.BatchEntryIdsNotDistinctException,
    sns.publish_batch,
    TopicArn=topic,
    PublishBatchRequestEntries=[{"Id": "a", "Message": "x"}, {"Id": "a", "Message": "y"}],
)
assert "No default entry" in expect(
    ClientError, sns.publish, TopicArn=topic, Message='{"APNS":"{}"}', MessageStructure="json"
)
expect(sns.exceptions.NotFoundException, sns.publish, TopicArn=f"{PREFIX}:none", Message="x")
sns.unsubscribe(SubscriptionArn=subscription)
sns.unsubscribe(SubscriptionArn=subscription)
expect(sns.exceptions.NotFoundException, sns.get_subscription_attributes, SubscriptionArn=subscription)
sns.publish(TopicArn=topic, Message="nobody is there")
print(received)
