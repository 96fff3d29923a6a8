# One image for web and worker: Python, Java 17, the locked dependencies and the brokers' jars.

FROM python:3.11-slim-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends openjdk-17-jre-headless \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY config/locks/app.txt config/locks/app.txt
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --require-hashes -r config/locks/app.txt
COPY . .
ENV LAB_CACHE_DIR=/cache LAB_STATIC_DIR=/srv/static
# The user of the image may not write here: what is not compiled now is compiled in each process.
RUN /venv/bin/python -m compileall -q --invalidation-mode unchecked-hash \
    advisor config labs spark_jobs \
 && /venv/bin/python -m labs.engine.cluster.prepare \
 && /venv/bin/python -m labs.engine.judge.classes \
 && SECRET_KEY=used-only-while-building-the-image-and-nowhere-else \
    /venv/bin/python manage.py collectstatic --noinput

FROM python:3.11-slim-bookworm
RUN apt-get update \
 && apt-get install --yes --no-install-recommends iproute2 openjdk-17-jre-headless tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 lab \
 && install --directory --owner lab --group lab --mode 700 /data
COPY --from=build /venv /venv
COPY --from=build --chown=lab:lab /cache /cache
COPY --from=build /srv/static /srv/static
COPY --from=build /app /app
WORKDIR /app
USER lab
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 \
    LAB_CACHE_DIR=/cache LAB_DATA_DIR=/data LAB_STATIC_DIR=/srv/static
VOLUME /data
EXPOSE 8000
# tini reaps what a killed runner leaves behind.
ENTRYPOINT ["tini", "--"]
CMD ["python", "-m", "config.web", "--host", "0.0.0.0", "--port", "8000"]
