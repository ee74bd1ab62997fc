using Workerd = import "/workerd/workerd.capnp";

const unitTests :Workerd.Config = (
  services = [(name = "domains", worker = (
    modules = [(name = "bundle.js", esModule = embed "bundle.js")],
    compatibilityDate = "2026-01-01",
  ))],
);
