# The service as one executable on a small base image, without Node, npm or the source.
FROM node:22-bookworm-slim AS build
WORKDIR /build
# Before the source, so that a change of the source does not reinstall packages.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --include=optional
COPY tsconfig.json ./
COPY scripts ./scripts
COPY docs ./docs
COPY src ./src
RUN npm run build

FROM debian:bookworm-slim
COPY --from=build /build/dist/ai-gateway /usr/local/bin/ai-gateway
# A numeric user, so that an orchestrator can see that it is not root. A new volume gets the owner and mode of this folder.
RUN install -d -m 700 -o 10001 -g 10001 /data
USER 10001:10001
ENV HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["ai-gateway", "health"]
ENTRYPOINT ["ai-gateway"]
CMD ["serve"]
