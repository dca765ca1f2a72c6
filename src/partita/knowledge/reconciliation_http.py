"""An HTTP server of the reconciliation API, for clients on this machine.

It binds to the loopback address. A web page of another site could still reach it by a name that
resolves to that address, so that a request must name this host, and a browser's request must come
from a page of this machine. JSONP would let every page read the reference and is refused.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from partita.errors import InputError, PartitaError
from partita.knowledge.reconciliation_service import ReconciliationService

__all__ = ["ReconciliationServer"]

ADDRESS = "127.0.0.1"
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine in the headers Host and Origin."""
MAX_BYTES = 8 << 20
"""Bytes of a request body at most."""
SECONDS = 30
"""Seconds after which an idle connection is closed."""
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Vary": "Origin",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "frame-ancestors http://127.0.0.1:* http://localhost:*",
}
"""Headers of every response: previews run no script, and only local pages frame them."""


class ReconciliationServer(ThreadingHTTPServer):
    """A server of one reference; port 0 chooses a free one."""

    daemon_threads = True

    def __init__(self, service: ReconciliationService, port: int = 0) -> None:
        self.service = service
        try:
            super().__init__((ADDRESS, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or "it is not between 0 and 65535"
            raise InputError(
                f"port {port} cannot be used ({reason}); give another --port"
            ) from error

    @property
    def address(self) -> str:
        """The address that clients use."""
        return f"http://{ADDRESS}:{self.server_address[1]}"


class _Refused(PartitaError):
    """A request that is answered with an error status."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: ReconciliationServer
    protocol_version = "HTTP/1.1"
    server_version = "partita"
    sys_version = ""
    timeout = SECONDS

    def do_GET(self) -> None:
        """Answer a request whose parameters are in its address."""
        self._answer(lambda: urlsplit(self.path).query)

    def do_POST(self) -> None:
        """Answer a request whose parameters are in its body."""
        self._answer(self._read_body)

    def do_OPTIONS(self) -> None:
        """Answer the question of a browser whether a local page may send requests."""
        self._answer(lambda: "", is_preflight=True)

    def _answer(self, read: Any, *, is_preflight: bool = False) -> None:
        """Check the request, route it, and send JSON or a page."""
        try:
            self._check_origin()
            if is_preflight:
                self._send(HTTPStatus.NO_CONTENT, b"", "text/plain")
                return
            query = {name: values[-1] for name, values in parse_qs(read()).items()}
            if "callback" in query:
                raise _Refused(
                    HTTPStatus.BAD_REQUEST, "JSONP is refused; request JSON without 'callback'"
                )
            content = self._route(urlsplit(self.path).path, query)
        except _Refused as error:
            self._send_error(error.status, str(error))
        except PartitaError as error:
            self._send_error(HTTPStatus.BAD_REQUEST, str(error))
        except UnicodeError:
            self._send_error(HTTPStatus.BAD_REQUEST, "the request is not UTF-8; encode it so")
        else:
            if isinstance(content, str):
                self._send(HTTPStatus.OK, content.encode(), "text/html; charset=utf-8")
            else:
                self._send_json(HTTPStatus.OK, content)

    def _check_origin(self) -> None:
        """Refuse requests that name another host, or come from a page of another site."""
        port = self.server.server_address[1]
        if self.headers.get("Host", "") not in {f"{name}:{port}" for name in LOCAL_NAMES}:
            raise _Refused(
                HTTPStatus.FORBIDDEN, f"this service answers requests to {self.server.address} only"
            )
        origin = self.headers.get("Origin")
        if origin is not None and not _is_local(origin):
            raise _Refused(HTTPStatus.FORBIDDEN, "this service answers pages of this machine only")

    def _read_body(self) -> str:
        """The text of a form."""
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            self.close_connection = True
            raise _Refused(
                HTTPStatus.LENGTH_REQUIRED, "the request has no Content-Length; send it"
            ) from None
        if not 0 <= length <= MAX_BYTES:
            self.close_connection = True
            raise _Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the request has {length:,} bytes; send at most {MAX_BYTES:,}",
            )
        return self.rfile.read(length).decode()

    def _route(self, path: str, query: dict[str, str]) -> Any:
        """The content of a path: JSON, or a page as text."""
        service = self.server.service
        if path in ("", "/"):
            if "queries" in query:
                return service.answer_batch(_parse_json("queries", query["queries"]))
            if "extend" in query:
                return service.extend(_parse_json("extend", query["extend"]))
            return service.describe(self.server.address)
        if path == "/properties":
            return service.propose(query.get("type"), query.get("limit"))
        if path in ("/suggest/entity", "/suggest/property", "/suggest/type"):
            kind = path.rpartition("/")[2]
            return service.suggest(kind, query.get("prefix", ""), query.get("cursor"))
        if path == "/preview":
            page = service.preview(query.get("id", ""))
            if page is not None:
                return page
            raise _Refused(HTTPStatus.NOT_FOUND, f"there is no record {query.get('id', '')!r}")
        raise _Refused(HTTPStatus.NOT_FOUND, "there is no such path; request / for the manifest")

    def _send_error(self, status: HTTPStatus, text: str) -> None:
        self._send_json(status, {"status": "error", "message": text})

    def _send_json(self, status: HTTPStatus, content: Any) -> None:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        self._send(status, text.encode("utf-8", "replace"), "application/json; charset=utf-8")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        """Send a response with the headers that protect the reference."""
        self.send_response(status)
        origin = self.headers.get("Origin")
        if origin is not None and _is_local(origin):
            self.send_header("Access-Control-Allow-Origin", origin)
            self.send_header("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
            self.send_header("Access-Control-Allow-Headers", "Content-Type, X-Requested-With")
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if status is not HTTPStatus.NO_CONTENT:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log: requests contain the data of the user."""


def _parse_json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is no JSON ({error}); send a JSON object") from None


def _is_local(origin: str) -> bool:
    """Whether a page of this machine sent a request."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return False
    host = parts.netloc if port is None else parts.netloc.rpartition(":")[0]
    return parts.scheme in ("http", "https") and host in LOCAL_NAMES
