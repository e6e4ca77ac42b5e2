# Decision API. Build from the repository's root:
#   docker build -f docker/decision-api.Dockerfile -t tollgate/decision-api .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
ENV CI=true TURBO_TELEMETRY_DISABLED=1
RUN npm install --global pnpm@10.34.8
# Dependencies change less often than sources: this layer depends on the lock file only.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN --mount=type=cache,id=pnpm,target=/root/.local/share/pnpm/store pnpm fetch
COPY . .
RUN --mount=type=cache,id=pnpm,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile --offline
RUN pnpm exec turbo run build --filter=@tollgate/decision-api
RUN --mount=type=cache,id=pnpm,target=/root/.local/share/pnpm/store \
  pnpm --filter=@tollgate/decision-api --prod --offline --config.inject-workspace-packages=true deploy /out && sh docker/prune.sh /out

FROM ${NODE_IMAGE}
ARG TOLLGATE_COMMIT=
# A load balancer needs a few seconds to see that a node drains.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4010 DATA_DIR=/data DRAIN_NOTICE_MS=6000 TOLLGATE_COMMIT=${TOLLGATE_COMMIT}
WORKDIR /app
COPY --from=build --chown=0:0 /out ./
COPY --from=build --chown=0:0 /src/LICENSE ./
RUN mkdir /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 4010 4011
HEALTHCHECK --interval=5s --timeout=2s --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# New objects have a space of 16 MB: 240 MB instead of 360 with 100,000 tenants, for a few percent of CPU.
CMD ["node", "--enable-source-maps", "--disable-proto=delete", "--max-semi-space-size=16", "dist/main.js"]
