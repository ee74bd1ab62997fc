# The Worker on workerd, with its objects in the folder "state". The build writes it to dist, with the modules there.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "sandboxes", worker = .sandboxes),
    (name = "state", disk = (path = "state", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "sandboxes")],
);

const sandboxes :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.js")],
  compatibilityDate = "2026-04-01",
  durableObjectNamespaces = [
    (className = "Sandbox", uniqueKey = "fauxgate-sandbox", enableSql = true),
    (className = "Account", uniqueKey = "fauxgate-account", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "state"),
  bindings = [
    (name = "SANDBOXES", durableObjectNamespace = "Sandbox"),
    (name = "ACCOUNTS", durableObjectNamespace = "Account"),
    (name = "ACCOUNT_KEY", fromEnvironment = "ACCOUNT_KEY"),
    (name = "SIGNING_KEY", fromEnvironment = "SIGNING_KEY"),
    (name = "ALLOW_ORIGINS", fromEnvironment = "ALLOW_ORIGINS"),
    (name = "DEFAULT_TTL", fromEnvironment = "DEFAULT_TTL"),
    (name = "LONGEST_TTL", fromEnvironment = "LONGEST_TTL"),
    (name = "PUBLIC_URL", fromEnvironment = "PUBLIC_URL"),
    (name = "WILDCARD_HOST", fromEnvironment = "WILDCARD_HOST"),
    (name = "MOST_RECORDS", fromEnvironment = "MOST_RECORDS"),
    (name = "MOST_BYTES", fromEnvironment = "MOST_BYTES"),
    (name = "MOST_REQUESTS", fromEnvironment = "MOST_REQUESTS"),
    (name = "MOST_SANDBOXES", fromEnvironment = "MOST_SANDBOXES"),
    (name = "QUOTAS", fromEnvironment = "QUOTAS"),
  ],
);
