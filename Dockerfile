# errai serve in a container, from a wheel that the first stage builds or that is given in wheels/:
#   docker build -t errai .
#   docker run --rm -p 127.0.0.1:8000:8000 -v errai:/data errai
# Open the address that it prints. The port outside must be the port inside (docs/serve.md, Who can reach it).
FROM python:3.13-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
# Wheels in wheels/ are taken as they are; without any, one is compiled.
RUN mkdir /wheels && \
    if ! cp /source/wheels/errai-*.whl /wheels/ 2>/dev/null; then \
        pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source; fi && \
    python -m venv /opt/errai && \
    /opt/errai/bin/pip install --no-cache-dir --no-compile --no-index --no-deps --find-links /wheels errai && \
    /opt/errai/bin/pip install --no-cache-dir --no-compile 'errai[web]'

FROM python:3.13-slim-bookworm
LABEL org.opencontainers.image.title="Errai" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.description="Solves two-player poker, proves how good the solution is, and plays it."
RUN useradd --uid 10001 --create-home errai && install -d -o errai -m 700 /data
COPY --from=build /opt/errai /opt/errai
ENV PATH=/opt/errai/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# The style sheet is what the server gives to everybody.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/static/app.css', timeout=4)"]
ENTRYPOINT ["errai"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--folder", "/data", "--no-browser"]
