# One image for every part; the command says which: the web server (default) or the demo worker.
#
#   docker build -t rematch .                                                              CPU
#   docker build -t rematch --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cu130 .     CUDA
ARG PYTHON=3.12

# The browser's scripts and fonts.
FROM node:24-slim AS vendor
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund

# The Python packages, in an environment that the last stage copies whole.
FROM python:${PYTHON}-slim AS packages
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN python -m venv /opt/rematch
ENV PATH=/opt/rematch/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements.txt ./
# torch first and from its own index: which build it is, CPU or CUDA, is the only thing that differs.
RUN pip install --index-url "$TORCH_INDEX" "$(grep '^torch==' requirements.txt)" \
    && pip install --requirement requirements.txt

FROM python:${PYTHON}-slim
RUN useradd --system --uid 10001 --home-dir /srv/rematch rematch \
    && mkdir -p /srv/rematch /data \
    && chown rematch /data
WORKDIR /srv/rematch
ENV PATH=/opt/rematch/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 REMATCH_DATA=/data
COPY --from=packages /opt/rematch /opt/rematch
COPY app app
COPY migrations migrations
COPY quizzes quizzes
COPY templates templates
COPY static static
COPY --from=vendor \
    /build/node_modules/htmx.org/dist/htmx.min.js \
    /build/node_modules/htmx.org/dist/ext/hx-sse.min.js \
    /build/node_modules/@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-400-normal.woff2 \
    /build/node_modules/@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-600-normal.woff2 \
    static/vendor/
USER rematch
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=60s --interval=30s --timeout=3s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
# Web and worker in one container. Alone: `python -m app.web --host 0.0.0.0` and `python -m app.demos.worker`.
CMD ["python", "-m", "app.cli", "serve", "--host", "0.0.0.0", "--port", "8000"]
