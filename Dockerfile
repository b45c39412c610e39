# The manager: one static binary, no shell, no user database. `make build` makes bin/manager.
FROM scratch
COPY bin/manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]
