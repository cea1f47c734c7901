ARG NODE_VERSION=22
FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/package.json scripts/prepare.mjs scripts/
RUN node scripts/prepare.mjs install --omit=dev
COPY tsconfig.json tsconfig.build.json vite.config.ts ./
COPY src src
RUN node scripts/prepare.mjs build --omit=dev

# Only what runs. EXTRAS are optional packages, separated by spaces: pg, neo4j-driver, @aws-sdk/client-bedrock-runtime.
FROM node:${NODE_VERSION}-bookworm-slim AS packages
ARG EXTRAS="pg@8"
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# npm installs no optional peer while package.json lists it as such.
RUN npm pkg delete workspaces devDependencies peerDependencies peerDependenciesMeta \
  && npm ci --omit=dev \
  && if [ -n "$EXTRAS" ]; then npm install --no-save $EXTRAS; fi
COPY --from=build /app/dist dist
COPY examples/catalog examples/catalog
COPY models models
COPY LICENSE README.md CHANGELOG.md ./

# The embedding model and its runtime inside the image. An empty MODEL leaves them out: mount a folder or a volume at /models then.
FROM packages AS model
ARG MODEL=dowser-tools-1
RUN mkdir /models \
  && if [ -n "$MODEL" ]; then DOWSER_MODELS=/models EMBEDDINGS_MODEL_NAME="$MODEL" node dist/cli/main.js model pull; fi

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="Dowser" \
  org.opencontainers.image.description="Finds the right tool for an AI agent: a registry and hybrid search engine for MCP servers, tools, agents, skills, packages and documents." \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="MIT" \
  io.modelcontextprotocol.server.name="io.github.dowser/dowser"
RUN ln -s /app/dist/cli/main.js /usr/local/bin/dowser \
  && install -d -o 1000 -g 1000 -m 0700 /data
COPY --from=packages /app /app
COPY --from=model --chown=1000:1000 /models /models
# Other machines can reach a container, so requests need credentials: `docker exec NAME dowser key create --name ci`.
ENV NODE_ENV=production \
  DOWSER_HOST=0.0.0.0 \
  DOWSER_PORT=7470 \
  DOWSER_DATA=/data \
  DOWSER_MODELS=/models
# A number, so that Kubernetes can see that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 7470
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.DOWSER_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["dowser"]
CMD ["serve"]
