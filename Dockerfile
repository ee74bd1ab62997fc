# A gateway in a container: docker build --tag fauxgate . && docker run --env FAUXGATE_CONTROL_KEY --publish 4747:4747 fauxgate
# Flags of fauxgate serve follow the name of the image, in place of those of CMD. Other machines can use the controls only
# with the key in FAUXGATE_CONTROL_KEY. If clients use another host than localhost, such as http://fauxgate:4747, name it
# with --base-url, or in FAUXGATE_ALLOW_HOST.
FROM node:24-alpine
ARG VERSION=0.1.0
RUN npm install --global --no-fund --no-audit "fauxgate@$VERSION" && npm cache clean --force
USER node
WORKDIR /home/node
EXPOSE 4747
HEALTHCHECK --interval=2s --timeout=10s --retries=30 CMD fauxgate clock
ENTRYPOINT ["fauxgate", "serve", "--host", "0.0.0.0"]
CMD ["--dialect", "ngrok", "--clock", "manual"]
