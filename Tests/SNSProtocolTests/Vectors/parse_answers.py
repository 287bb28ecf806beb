# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Reads answers as botocore does: a list of [operation, status, body] in the file named first, to a list of dictionaries."""

import json
import sys

import botocore.parsers
import botocore.session

model = botocore.session.Session().get_service_model("sns")
parser = botocore.parsers.create_parser(model.protocol)
results = []
with open(sys.argv[1], encoding="utf-8") as file:
    for operation, status, body in json.load(file):
        response = {"status_code": status, "headers": {}, "body": body.encode()}
        results.append(parser.parse(response, model.operation_model(operation).output_shape))
json.dump(results, sys.stdout)
