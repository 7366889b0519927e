"""The web process: one uvicorn with uvloop and httptools, on a socket it is given or one it opens."""

import argparse
import gc
import logging
import socket
import sys

import uvicorn

GRACE_SECONDS = 5  # open event streams are cut after this when the process is told to stop


class _Server(uvicorn.Server):
    """Freezes what start-up made: full collections over it were most of the slowest answers."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 1000)


def main(arguments: list[str] | None = None) -> int:
    """Serve until a signal comes; 0 after a clean stop, 1 where start-up failed."""
    parser = argparse.ArgumentParser(prog="python -m app.web", description="Serve the site.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--fd", type=int, help="serve on this inherited, listening socket")
    parser.add_argument(
        "--trust-proxy", metavar="ADDRESSES", help="believe X-Forwarded-* from these addresses"
    )
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("dbos").setLevel(logging.WARNING)  # it greets at each start
    server = _Server(
        uvicorn.Config(
            "app.main:create_app",
            factory=True,
            host=options.host,
            port=options.port,
            loop="uvloop",
            http="httptools",
            ws="none",
            access_log=False,
            log_level="warning",
            proxy_headers=options.trust_proxy is not None,
            forwarded_allow_ips=options.trust_proxy,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )
    server.run(sockets=[socket.socket(fileno=options.fd)] if options.fd is not None else None)
    return 0 if server.started else 1


if __name__ == "__main__":
    sys.exit(main())
