# Control plane with its worker, and the built console that it serves. Build from the repository's root:
#   docker build -f docker/control-plane.Dockerfile -t tollgate/control-plane .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
ENV CI=true TURBO_TELEMETRY_DISABLED=1 CHECKPOINT_DISABLE=1
RUN npm install --global pnpm@10.34.8
COPY . .
RUN pnpm install --frozen-lockfile
RUN pnpm exec turbo run build --filter=@tollgate/control-plane --filter=@tollgate/console
RUN pnpm --filter=@tollgate/control-plane --prod --legacy deploy /out

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 CONSOLE_DIR=/app/console
WORKDIR /app/apps/control-plane
COPY --from=build --chown=0:0 /out ./
COPY --from=build --chown=0:0 /src/apps/console/dist /app/console
COPY --from=build --chown=0:0 /src/prisma/migrations /app/prisma/migrations
COPY --from=build --chown=0:0 /src/prisma/seed /app/prisma/seed
RUN mkdir /state && chown 10001:10001 /state
USER 10001:10001
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["node", "--enable-source-maps", "--disable-proto=delete", "dist/main.js"]
