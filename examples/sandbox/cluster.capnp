# Several machines behind one address: each runs this, and each sandbox lives on one of them. Experimental, as workerd's
# clusters are. What they share is a bucket; an answered write is in it, so that a machine can be lost with its disk.
using Workerd = import "/workerd/workerd.capnp";
using OneMachine = import "node_modules/fauxgate/dist/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "sandboxes", worker = OneMachine.sandboxes),
    (name = "state", disk = (path = "cluster-state", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "sandboxes")],
  cluster = (
    bucket = "s3://fauxgate-sandboxes/cluster",
    address = "127.0.0.1:0",
    key = embed "cluster.key",
  ),
);
