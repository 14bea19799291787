"""A remote executor on loopback, run as a script: the Remote Execution API, v2, with everything in memory.

    python tests/bazel/executor.py PORT_FILE

It writes its port to PORT_FILE, and prints the first words of each command that it runs. Each action gets an
empty folder with its declared inputs and no environment but what it asks for. Needs grpcio, and buildgrid for
the protocol's messages.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as re
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2_grpc as services
from buildgrid._protos.google.bytestream import bytestream_pb2 as bytestream
from buildgrid._protos.google.bytestream import bytestream_pb2_grpc as bytestream_services
from buildgrid._protos.google.longrunning import operations_pb2 as operations

CHUNK = 1024 * 1024
UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


class Store:
    """Blobs by their SHA-256, and results by the digest of their action."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {hashlib.sha256(b"").hexdigest(): b""}
        self.results: dict[str, Any] = {}

    def put(self, content: bytes) -> Any:
        name = hashlib.sha256(content).hexdigest()
        self.blobs[name] = content
        return re.Digest(hash=name, size_bytes=len(content))

    def message(self, digest: Any, kind: Any) -> Any:
        return kind.FromString(self.blobs[digest.hash])


class Capabilities(services.CapabilitiesServicer):
    def GetCapabilities(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002
        answer = re.ServerCapabilities()
        answer.cache_capabilities.digest_functions.append(re.DigestFunction.SHA256)
        answer.cache_capabilities.action_cache_update_capabilities.update_enabled = True
        answer.execution_capabilities.digest_function = re.DigestFunction.SHA256
        answer.execution_capabilities.exec_enabled = True
        answer.low_api_version.major = answer.high_api_version.major = 2
        return answer


class ActionCache(services.ActionCacheServicer):
    def __init__(self, store: Store) -> None:
        self.store = store

    def GetActionResult(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.action_digest.hash not in self.store.results:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such action")
        return self.store.results[request.action_digest.hash]

    def UpdateActionResult(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002
        self.store.results[request.action_digest.hash] = request.action_result
        return request.action_result


class Blobs(services.ContentAddressableStorageServicer):
    def __init__(self, store: Store) -> None:
        self.store = store

    def FindMissingBlobs(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002
        missing = [digest for digest in request.blob_digests if digest.hash not in self.store.blobs]
        return re.FindMissingBlobsResponse(missing_blob_digests=missing)

    def BatchUpdateBlobs(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002
        answer = re.BatchUpdateBlobsResponse()
        for each in request.requests:
            answer.responses.add().digest.CopyFrom(self.store.put(each.data))
        return answer

    def BatchReadBlobs(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002
        answer = re.BatchReadBlobsResponse()
        for digest in request.digests:
            answer.responses.add(digest=digest, data=self.store.blobs[digest.hash])
        return answer


class Stream(bytestream_services.ByteStreamServicer):
    def __init__(self, store: Store) -> None:
        self.store = store

    def Read(self, request: Any, context: Any) -> Iterator[Any]:  # noqa: N802
        name = request.resource_name.split("blobs/")[1].split("/")[0]
        if name not in self.store.blobs:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such blob")
        content = self.store.blobs[name][request.read_offset :]
        for start in range(0, len(content), CHUNK):
            yield bytestream.ReadResponse(data=content[start : start + CHUNK])

    def Write(self, requests: Any, context: Any) -> Any:  # noqa: N802, ARG002
        content = b"".join(request.data for request in requests)
        self.store.put(content)
        return bytestream.WriteResponse(committed_size=len(content))


class Execution(services.ExecutionServicer):
    def __init__(self, store: Store) -> None:
        self.store = store

    def Execute(self, request: Any, context: Any) -> Iterator[Any]:  # noqa: N802, ARG002
        action = self.store.message(request.action_digest, re.Action)
        command = self.store.message(action.command_digest, re.Command)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            lay_out(self.store, action.input_root_digest, root)
            result = run(self.store, command, root)
        if not result.exit_code and not action.do_not_cache:
            self.store.results[request.action_digest.hash] = result
        operation = operations.Operation(name=request.action_digest.hash, done=True)
        operation.response.Pack(re.ExecuteResponse(result=result))
        yield operation


def lay_out(store: Store, digest: Any, place: Path) -> None:
    """Make the folder that a digest stands for."""
    place.mkdir(exist_ok=True)
    directory = store.message(digest, re.Directory)
    for file in directory.files:
        (place / file.name).write_bytes(store.blobs[file.digest.hash])
        (place / file.name).chmod(0o555 if file.is_executable else 0o444)
    for link in directory.symlinks:
        (place / link.name).symlink_to(link.target)
    for folder in directory.directories:
        lay_out(store, folder.digest, place / folder.name)


def run(store: Store, command: Any, root: Path) -> Any:
    """Run a command in the folder of its inputs, and keep its outputs."""
    wanted = [*command.output_files, *command.output_directories, *command.output_paths]
    for path in command.output_directories:
        (root / path).mkdir(parents=True, exist_ok=True)
    for path in wanted:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
    print(Path(command.arguments[0]).name, *command.arguments[1:2], flush=True)
    environment = {variable.name: variable.value for variable in command.environment_variables}
    here = root / command.working_directory
    done = subprocess.run(
        list(command.arguments), cwd=here, env=environment, capture_output=True, check=False
    )
    result = re.ActionResult(exit_code=done.returncode, stdout_raw=done.stdout, stderr_raw=done.stderr)
    for path in wanted:
        place = here / path
        if place.is_dir():
            tree = re.Tree()
            tree.root.CopyFrom(gather(store, place, tree))
            result.output_directories.add(path=path, tree_digest=store.put(tree.SerializeToString()))
        elif place.is_file():
            executable = os.access(place, os.X_OK)
            result.output_files.add(path=path, digest=store.put(place.read_bytes()), is_executable=executable)
    return result


def gather(store: Store, place: Path, tree: Any) -> Any:
    """The directory at `place`; those below it are added to `tree`."""
    directory = re.Directory()
    for path in sorted(place.iterdir()):
        if path.is_dir():
            below = gather(store, path, tree)
            tree.children.append(below)
            directory.directories.add(name=path.name, digest=store.put(below.SerializeToString()))
        else:
            directory.files.add(name=path.name, digest=store.put(path.read_bytes()))
    return directory


def main(port_file: Path) -> None:
    """Serve until stopped."""
    store = Store()
    server = grpc.server(ThreadPoolExecutor(16), options=UNLIMITED)
    services.add_CapabilitiesServicer_to_server(Capabilities(), server)
    services.add_ActionCacheServicer_to_server(ActionCache(store), server)
    services.add_ContentAddressableStorageServicer_to_server(Blobs(store), server)
    services.add_ExecutionServicer_to_server(Execution(store), server)
    bytestream_services.add_ByteStreamServicer_to_server(Stream(store), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    temporary = port_file.with_suffix(".new")
    temporary.write_text(str(port), encoding="utf-8")
    temporary.replace(port_file)
    server.wait_for_termination()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
