"""Creates a domain with the client of openapi-python-client: create.py FOLDER URL. Prints the domain of the response."""

import sys

folder, url = sys.argv[1:]
sys.path.insert(0, folder)
from client import AuthenticatedClient  # noqa: E402
from client.api.reserved_domains import reserved_domains_create  # noqa: E402
from client.models import ReservedDomainCreate, ReservedDomainsCreateNgrokVersion  # noqa: E402

client = AuthenticatedClient(base_url=url, token="key")
version = ReservedDomainsCreateNgrokVersion("2")
body = ReservedDomainCreate(domain="app.example.com")
print(reserved_domains_create.sync(client=client, body=body, ngrok_version=version).domain)
