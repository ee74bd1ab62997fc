"""Ngrok's official Python client on both sides of a restart, in the middle of a list: see scripts/restart.mjs."""

import sys

import ngrok
from ngrok.datatypes import ReservedDomainCertPolicy

client = ngrok.Client("any key", sys.argv[1])
made = [client.reserved_addrs.create(description=f"python {n}").id for n in range(120)]
policy = ReservedDomainCertPolicy(client, {"authority": "letsencrypt", "private_key_type": "ecdsa"})
domain = client.reserved_domains.create(
    domain="python.example.com",
    certificate_management_policy=policy,
)
listed = iter(client.reserved_addrs.list())
found = [next(listed).id for _ in range(50)]
print("middle", flush=True)
sys.stdin.readline()
# Its iterator is none to `for`.
while each := next(listed, None):
    found.append(each.id)
own = [each for each in found if each in set(made)]
assert own == made[::-1], f"{len(own)} of {len(made)} were listed"
assert client.reserved_domains.get(domain.id).domain == "python.example.com"
client.reserved_addrs.update(made[0], description="after")
assert client.reserved_addrs.get(made[0]).description == "after"
for each in made[1:]:
    client.reserved_addrs.delete(each)
try:
    client.reserved_domains.create(domain="python.example.com")
    raise AssertionError("the domain was reserved twice")
except ngrok.Error as error:
    assert "413" in error.error_code
print("end", flush=True)
