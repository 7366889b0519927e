"""A worker that believes to run on another host: `python -m tests.demos.worker_elsewhere NAME ...`."""

import socket
import sys

from app.demos import worker

if __name__ == "__main__":
    name = sys.argv[1]
    socket.gethostname = lambda: name
    sys.exit(worker.main(sys.argv[2:]))
