# Control plane, worker, setup and keys, with the built console. Build from the repository's root:
#   docker build -f docker/control-plane.Dockerfile -t tollgate/control-plane .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
ENV CI=true TURBO_TELEMETRY_DISABLED=1 CHECKPOINT_DISABLE=1
RUN npm install --global pnpm@10.34.8
# Dependencies change less often than sources: this layer depends on the lock file only.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN --mount=type=cache,id=pnpm,target=/root/.local/share/pnpm/store pnpm fetch
COPY . .
RUN --mount=type=cache,id=pnpm,target=/root/.local/share/pnpm/store pnpm install --frozen-lockfile --offline
RUN pnpm exec turbo run build --filter=@tollgate/control-plane --filter=@tollgate/console
RUN --mount=type=cache,id=pnpm,target=/root/.local/share/pnpm/store \
  pnpm --filter=@tollgate/control-plane --prod --offline --config.inject-workspace-packages=true deploy /out && sh docker/prune.sh /out

FROM ${NODE_IMAGE}
ARG TOLLGATE_COMMIT=
# A load balancer needs a few seconds to see that a process drains.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DRAIN_NOTICE_MS=6000 CONSOLE_DIR=/app/console TOLLGATE_COMMIT=${TOLLGATE_COMMIT}
WORKDIR /app/apps/control-plane
COPY --from=build --chown=0:0 /out ./
COPY --from=build --chown=0:0 /src/apps/console/dist /app/console
COPY --from=build --chown=0:0 /src/prisma/migrations /app/prisma/migrations
COPY --from=build --chown=0:0 /src/prisma/seed /app/prisma/seed
COPY --from=build --chown=0:0 /src/LICENSE /app/LICENSE
RUN mkdir /state && chown 10001:10001 /state
USER 10001:10001
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["node", "--enable-source-maps", "--disable-proto=delete", "dist/main.js"]
