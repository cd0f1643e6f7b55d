"""An S3-compatible server on loopback, and what a command line needs to reach it."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def s3_environment() -> Iterator[dict[str, str]]:
    """The environment of a process that shall find the server."""
    server_module = pytest.importorskip("moto.server", reason="needs the group 'machines'")
    pytest.importorskip("s3fs", reason="needs the group 'machines'")
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "PYTHONPATH": str(PROJECT),
    }
    server.stop()


@pytest.fixture
def s3_archive(s3_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an archive in a bucket of its own."""
    for name, value in s3_environment.items():
        monkeypatch.setenv(name, value)
    assert os.environ["AWS_ENDPOINT_URL"].startswith("http://127.0.0.1:")
    import s3fs

    bucket = f"skatsim-{uuid.uuid4().hex}"
    s3fs.S3FileSystem().mkdir(bucket)
    return f"s3://{bucket}/games"
