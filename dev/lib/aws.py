# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The command `aws` and programs with boto3, which their environment directs to a stage's server."""

import json
import os
import subprocess
import sys

REGION = "ap-northeast-1"


def key_environment(stage, key, **more):
    """The variables by which AWS's clients find the server of a stage and a key of `Stage.make_key`, and nothing else."""
    variables = {
        "AWS_ENDPOINT_URL_SNS": stage.url,
        "AWS_ACCESS_KEY_ID": key["accessKeyID"],
        "AWS_SECRET_ACCESS_KEY": key["secretAccessKey"],
        "AWS_DEFAULT_REGION": REGION,
        "AWS_DEFAULT_OUTPUT": "json",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_PAGER": "",
        "HOME": stage.directory,
        "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        "PYTHONUTF8": "1",
    }
    return variables | more


def run_json(command, environment):
    """Runs a command; returns the JSON that it prints."""
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
