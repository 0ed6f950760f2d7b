"""Sends requests.json to the original, in order, and writes what it responds to ../exchanges.json."""

import json
import pathlib

from app import create_app

here = pathlib.Path(__file__).parent
client = create_app().test_client()
exchanges = []
for request in json.loads((here / "requests.json").read_text()):
    body = request.get("body")
    text = request.get("text", None if body is None else json.dumps(body))
    kind = request.get("type", None if text is None else "application/json")
    response = client.open(request["path"], method=request["method"], data=text, content_type=kind)
    pages = response.headers.get("X-Pagination")
    exchanges.append(
        {
            **request,
            "response": {
                "status": response.status_code,
                **({"pages": json.loads(pages)} if pages else {}),
                "body": response.get_json() if response.data else None,
            },
        }
    )
(here.parent / "exchanges.json").write_text(json.dumps(exchanges, indent=2) + "\n")
