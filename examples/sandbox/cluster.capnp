# Several machines behind one address: each runs this file, and each sandbox lives on one of them. Experimental, like workerd's
# clusters. The machines share a bucket with all answered writes, so you can lose a machine with its disk.
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
