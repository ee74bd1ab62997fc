"""The code under test: reserves a domain with ngrok's own client, and waits for its certificate."""

import ngrok
from ngrok.datatypes import ReservedDomainCertPolicy


def reserve(client, name):
    """Uses the domain unchanged if it is already reserved."""
    policy = ReservedDomainCertPolicy(client, {"authority": "letsencrypt", "private_key_type": "ecdsa"})
    try:
        return client.reserved_domains.create(domain=name, certificate_management_policy=policy)
    except ngrok.Error as error:
        if error.error_code != "ERR_NGROK_413":
            raise
        return next(domain for domain in client.reserved_domains.list() if domain.domain == name)


def wait_for_certificate(client, id, pause, tries=5):
    for _ in range(tries):
        certificate = client.reserved_domains.get(id).certificate
        if certificate:
            return certificate.id
        pause()
    raise TimeoutError(f"{id} has no certificate after {tries} tries")
