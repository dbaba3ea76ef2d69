"""Servers of files on this machine: a stand-in for S3 and plain HTTP with ranges.

Both note what was asked for, and can be told to stall or to fail.
"""

import http.server
import re
import socketserver
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Request:
    method: str
    path: str
    begin: int | None = None  # of the range
    end: int | None = None
    key: str | None = None  # who asks
    sent: int = 0  # bytes of the answer, without headers


@dataclass
class Log:
    """What a server was asked for, and what it shall do."""

    requests: list[Request] = field(default_factory=list)
    # A request for these bytes of a file stalls or fails, so many times.
    stall_at: int | None = None
    fail_at: int | None = None
    cut_at: int | None = None  # the answer ends before its end
    times: int = 10**9
    delay: float = 0.0
    most_at_once: int = 0
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def clear(self):
        """Forgets what was asked for, and what shall go wrong."""
        self.requests.clear()
        self.stall_at = self.fail_at = self.cut_at = None
        self.times, self.delay, self.most_at_once = 10**9, 0.0, 0

    def bytes(self):
        """Of the answers to requests for ranges."""
        return sum(r.end - r.begin for r in self.requests if r.begin is not None)

    def of(self, method):
        return [request for request in self.requests if request.method == method]

    def hits(self, place, request):
        """Whether the request is to go wrong."""
        if place is None or request.begin is None:
            return False
        with self._lock:
            if not request.begin <= place < request.end or self.times == 0:
                return False
            self.times -= 1
            return True

    def enter(self, request):
        with self._lock:
            self.requests.append(request)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)

    def leave(self):
        with self._lock:
            self._now -= 1


def range_of(text, size):
    """The bytes [begin, end) that a header asks for, or None twice."""
    match = re.fullmatch(r"bytes=(\d+)-(\d*)", text or "")
    if not match:
        return None, None
    return int(match[1]), min(int(match[2] or size - 1) + 1, size)


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, *_):  # the client has gone
        pass


class HttpServer:
    """Plain HTTP. `files` has bytes by path, or an object with `size` and
    `read(begin, end)`."""

    def __init__(self, files, log=None):
        log = self.log = log or Log()
        server = self
        self.files = files
        self.tag = '"one"'  # None: answers have none
        self.head_size = None  # what HEAD says, where it is wrong

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.answer()

            def do_GET(self):
                self.answer()

            def answer(self):
                found = files.get(self.path)
                if found is None:
                    self.send_error(404)
                    return
                size = len(found) if isinstance(found, bytes) else found.size
                begin, end = range_of(self.headers.get("Range"), size)
                key = self.headers.get("X-Key")
                request = Request(self.command, self.path, begin, end, key)
                log.enter(request)
                try:
                    self.send(found, size, request)
                finally:
                    log.leave()

            def send(self, found, size, request):
                if log.hits(log.fail_at, request):
                    self.send_error(503)
                    return
                if log.hits(log.stall_at, request):
                    time.sleep(5)
                    self.close_connection = True
                    return
                time.sleep(log.delay)
                begin, end = request.begin, request.end
                self.send_response(200 if begin is None else 206)
                if begin is None:
                    begin, end = 0, size
                else:
                    self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{size}")
                self.send_header("Accept-Ranges", "bytes")
                if server.tag is not None:
                    self.send_header("ETag", server.tag)
                is_head = request.method == "HEAD"
                length = end - begin
                if is_head and server.head_size is not None:
                    length = server.head_size
                self.send_header("Content-Length", str(length))
                self.end_headers()
                if is_head:
                    return
                is_cut = log.hits(log.cut_at, request)
                if isinstance(found, bytes):
                    data = found[begin:end]
                else:
                    data = found.read(begin, end)
                request.sent = len(data) // 2 if is_cut else len(data)
                self.wfile.write(data[: request.sent])
                self.close_connection = self.close_connection or is_cut

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class S3Server:
    """moto's stand-in for S3, with a bucket named "bucket"."""

    def __init__(self):
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import WSGIRequestHandler, make_server

        application = DomainDispatcherApplication(create_backend_app)
        log = self.log = Log()

        def answer(environ, start_response):
            begin, end = range_of(environ.get("HTTP_RANGE"), 2**63)
            who = re.search(r"Credential=(\w+)/", environ.get("HTTP_AUTHORIZATION", ""))
            request = Request(
                environ["REQUEST_METHOD"], environ["PATH_INFO"], begin, end,
                who and who[1])
            log.enter(request)
            try:
                if log.hits(log.fail_at, request):
                    start_response("503 Slow Down", [("Content-Length", "0")])
                    return []
                if log.hits(log.stall_at, request):
                    time.sleep(5)
                time.sleep(log.delay)
                body = b"".join(application(environ, start_response))
                if begin is not None:
                    request.end = begin + len(body)
                if request.method != "HEAD":
                    request.sent = len(body)
                return [body]
            finally:
                log.leave()

        class Quiet(WSGIRequestHandler):
            protocol_version = "HTTP/1.1"

            def log(self, *_):
                pass

        self._server = make_server(
            "127.0.0.1", 0, answer, threaded=True, request_handler=Quiet)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        # By names that obstore and s3fs both take.
        self.options = {
            "key": "mine", "secret": "secret",
            "client_kwargs": {"endpoint_url": self.url, "region_name": "eu-west-1"},
        }
        import s3fs

        s3fs.S3FileSystem(**self.options, skip_instance_cache=True).makedirs(
            "bucket", exist_ok=True)  # moto keeps it for the next server
        log.clear()

    def close(self):
        self._server.shutdown()
