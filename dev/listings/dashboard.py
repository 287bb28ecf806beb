# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Document 001: a worker publishes that there is something new, and the app loads it anew."""

import json
import re

import topic
from app import App
from database import PostgresServer
from stage import Stage, until


def play(check):
    # The device of which the worker's test tells; the app has it in its cache.
    device = re.search(r"device_id='([^']+)'", check.listings["001/9"].text)[1]
    # SNS' platform APNS is Apple's production service.
    with Stage(check.apus, environment="production", server_arguments=["--sns-account", topic.ACCOUNT]) as stage:
        # The listings know no installation secret, like the clients of before.
        stage.admin("PATCH", f"/v1/apps/{stage.app}", {"installationSecrets": "optional"})
        phone = stage.phone()
        environment = {"APUS_DEVICE_PERSON": "allows", "LISTING_DEVICE": device}
        app = App(stage, "DashboardApp", check.executable("DashboardApp"), phone, environment)
        try:
            register(check, stage, app)
            publish = publisher(check, stage, app, device)
            receive(check, stage, app, device, publish)
        except BaseException:
            check.tell_of(app)
            raise
        refuse(check, stage)
    data(check)


def register(check, stage, app):
    token = stage.device(app.phone)["tokens"][stage.app]

    def tokens():
        return [one["token"] for one in stage.admin("GET", f"/v1/apps/{stage.app}/devices?limit=10")["devices"]]

    until(lambda: token in tokens(), "the device's token is at the server")
    app.says("permission granted")
    app.says(f"Device Token: {token}")
    app.says("saved to Supabase")
    check.rows["001/6"].added += [
        "the app's scene (App+Body.swift)",
        "a Supabase client, which registers the device at Apus (SupabaseClientManager.swift)",
    ]
    check.rows["001/6"].seen += ["asks for permission, is given the device's token and registers it: the server has it"]


def publisher(check, stage, app, device):
    """The topic and the worker, to which the phone is subscribed; returns what has the worker publish."""
    updates = topic.Topic(check, stage)
    updates.make()
    updates.subscribe(stage.device(app.phone)["tokens"][stage.app])
    updates.start_worker(device, "2025-10-13")
    return updates.publish


def receive(check, stage, app, device, publish):
    """A push in the foreground, one in the background, and its tap."""
    before, today = app.texts()
    assert before.startswith(device) and today.startswith(device) and today.endswith("of before"), (before, today)
    key = today.split(":")[0]

    publish()
    until(lambda: app.texts() == [before, f"{key}: load 1"], "the push to the app on the screen loads today anew")
    app.says("Notification received (foreground)")
    until(lambda: set(installed(stage, app)["presentation"]) == {"banner", "sound"}, "it asks for a banner and a sound")
    check.rows["001/6"].seen += ["in the foreground a push is taken to the view; it asks for a banner and a sound"]
    check.rows["001/5"].added += [
        "the account of the topic, as the document says",
        "supabase, and what the worker writes there (001/run.py)",
    ]
    check.rows["001/5"].seen += ["boto3 publishes to the topic, and the app on the phone receives the push"]
    check.rows["001/7"].added += [
        "import lines (Imports.swift)",
        "onReceive as a static function: the listing begins with a point, behind views that it leaves out; "
        "deviceManager, dataCache, cacheKeys, loadAllData (SimpleDashboardView+Before.swift)",
    ]
    check.rows["001/7"].seen += ["today's entry of the cache is cleared, in the device's time zone, and loaded; the day before stays"]

    app.set(state="background")
    count = len(app.shown())
    publish()
    until(lambda: len(app.shown()) == count + 1, "the push in the background is in the list")
    assert installed(stage, app)["badge"] == 1, installed(stage, app)
    assert app.texts() == [before, f"{key}: load 1"], app.texts()
    check.rows["001/9"].seen += ["it publishes once more, and the push lies on the phone"]
    check.rows["001/6"].seen += ["in the background the badge is 1 and the list has the push; nothing is loaded"]

    identifier = app.shown()[-1]["identifier"]
    stage.control("POST", f"/v1/devices/{app.phone}/shown/{identifier}/response")
    until(lambda: app.texts() == [before, f"{key}: load 2"], "the tap has today loaded anew")
    app.says("Notification tapped")
    check.rows["001/6"].seen += ["its tap opens the app and posts the refresh: today is loaded once more"]


def installed(stage, app):
    """The app as it is on the phone."""
    return next(one for one in stage.device(app.phone)["apps"] if one["bundleID"] == stage.app)


def refuse(check, stage):
    """The person refuses: the listing says so, and asks for no token."""
    phone = stage.phone()
    app = App(stage, "refused", check.executable("DashboardApp"), phone, {"APUS_DEVICE_PERSON": "refuses"})
    app.says("permission denied")
    assert not any("Device Token" in line for line in app.lines), app.lines
    check.rows["001/6"].seen += ["refused, it says so and asks for no token"]


def data(check):
    check.rows["001/1"].seen += ["a drawing; what it shows is what the rows below do"]
    policy = json.loads(check.listings["001/4"].text)
    assert [one["Action"] for one in policy["Statement"]] == [["sns:Publish"]], policy
    check.rows["001/4"].seen += ["a policy of AWS IAM, well-formed; here a key's scopes say what a worker may do"]
    columns = column(check)
    assert columns == ["apns_token", "device_id"], columns
    check.rows["001/8"].added += ["the table that it alters"]
    check.rows["001/8"].seen += ["PostgreSQL takes it: the table has the column, and its index. Apus keeps the tokens itself"]


def column(check):
    """The statement for the database, in a PostgreSQL of its own; returns the table's columns."""
    with PostgresServer() as database:
        database.run("CREATE TABLE public.devices (device_id text PRIMARY KEY)")
        database.run(check.listings["001/8"].text)
        indexes = database.run(
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'devices' AND indexdef LIKE '%(apns_token)'"
        )
        assert indexes, "the index is not there"
        return database.run("SELECT column_name FROM information_schema.columns WHERE table_name = 'devices' ORDER BY 1")
