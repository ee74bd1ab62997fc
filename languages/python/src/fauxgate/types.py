"""The types of what the controls take and return. `npm run generate` writes this file from the document of the controls."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

Duration = timedelta | int | str
Time = datetime | str
CertificateError = Literal['ERR_NGROK_425', 'cname_missing', 'ERR_NGROK_426', 'cname_is_address', 'ERR_NGROK_427', 'cname_mismatch', 'ERR_NGROK_442', 'challenge_missing', 'ERR_NGROK_443', 'challenge_is_address', 'ERR_NGROK_444', 'challenge_mismatch', 'ERR_NGROK_445', 'lookup_failed', 'ERR_NGROK_515', 'domain_proxied', 'ERR_NGROK_516', 'wildcard_proxied', 'ERR_NGROK_517', 'challenge_proxied', 'ERR_NGROK_26000', 'caa_not_authorized', 'ERR_NGROK_26001', 'caa_account_restricted', 'ERR_NGROK_26002', 'caa_tag_unknown', 'ERR_NGROK_26004', 'caa_method_restricted', 'ERR_NGROK_26005', 'caa_data_malformed', 'ERR_NGROK_26006', 'provisioning_failed', 'ERR_NGROK_26007', 'request_not_loaded', 'ERR_NGROK_26008', 'preflight_failed', 'ERR_NGROK_26009', 'obtain_failed_unexpectedly', 'ERR_NGROK_26010', 'conversion_failed', 'ERR_NGROK_26011', 'finalization_failed', 'ERR_NGROK_26012', 'preflight_check_failed', 'ERR_NGROK_26013', 'obtain_failed', 'ERR_NGROK_26014', 'caa_check_blocked', 'ERR_NGROK_26015', 'dcv_cname_missing', 'ERR_NGROK_26016', 'dcv_cname_mismatch', 'ERR_NGROK_26017', 'dcv_ns_missing', 'ERR_NGROK_26018', 'dcv_ns_mismatch', 'ERR_NGROK_26019', 'dns_01_cname_missing', 'ERR_NGROK_26020', 'dns_01_cname_mismatch', 'ERR_NGROK_26021', 'http_01_unreachable', 'ERR_NGROK_26022', 'http_01_token_mismatch', 'ERR_NGROK_26023', 'obtain_failed_26023', 'ERR_NGROK_26024', 'obtain_failed_26024', 'ERR_NGROK_26025', 'obtain_failed_26025', 'ERR_NGROK_26026', 'caa_check_malformed', 'ERR_NGROK_26027', 'caa_check_lookup_failed', 'ERR_NGROK_26028', 'caa_check_tag_unknown', 'ERR_NGROK_26029', 'caa_check_tld_missing', 'ERR_NGROK_26030', 'obtain_failed_26030', 'ERR_NGROK_26031', 'obtain_failed_26031', 'ERR_NGROK_26032', 'obtain_failed_26032', 'ERR_NGROK_26033', 'account_suspended', 'ERR_NGROK_26034', 'suspension_check_failed', 'ERR_NGROK_26035', 'obtain_failed_26035', 'ERR_NGROK_26036', 'obtain_failed_26036', 'ERR_NGROK_26037', 'obtain_failed_26037', 'ERR_NGROK_26038', 'obtain_failed_26038']

Quirks = TypedDict(
    "Quirks",
    {
        # Keep the children of a weighted backend if a PATCH omits `backends`, instead of removing them. Default: false.
        "keepBackendsOnPatch": "bool",
        # Return a null `certificate_management_status` from a PATCH that sets a certificate management policy. The next read shows the provisioning job. Default: false.
        "lateStatus": "bool",
        # Accept cloud endpoint policies that don't terminate traffic, so that a test can use an incomplete policy. Default: false.
        "policyMayFallThrough": "bool",
        # The HTTP status for error code 413: the domain name is already reserved. Default: 400 in the `ngrok` dialect, as observed in ngrok, and 409 in `standard`.
        "takenStatus": "Literal[400, 409]",
    },
    total=False,
)

ErrorBackoff = TypedDict(
    "ErrorBackoff",
    {
        # How long a job waits after its first INTERNAL_ERROR. Default: 1m.
        "first": "Duration",
        # The maximum time that a job waits after an INTERNAL_ERROR. Default: 64m.
        "most": "Duration",
    },
    total=False,
)

Fault = TypedDict(
    "Fault",
    {
        # The operation's name, such as `reserved_domains.create`.
        "operation": "str",
        # The method of the request. With `operation`, it must be that operation's method. One of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`.
        "method": "str",
        # The path under the base URL, such as `/reserved_domains`.
        "path": "str",
        # An ID in the request's path, such as `rd_…`.
        "resource": "str",
        # The URL or the ID of an upstream, as passed to `gateway.traffic.upstream`. The fault applies to requests that the gateway forwards to this upstream, not to API requests.
        "traffic": "str",
        # The path of a request to the agent's API, such as `/api/tunnels`. The fault does not affect the REST API.
        "agent": "str",
        # The number of matching requests that this fault applies to. Default: all, until you remove it.
        "times": "int",
        # The number of matching requests to let through before the fault applies.
        "after": "int",
        # With `before`, the operation does not run. With `after`, the change is made and the client still sees an error. Default: `before`.
        "phase": "Literal['before', 'after']",
        # The HTTP status of the error. Default: the status of `error`, or 503.
        "status": "int",
        # An error, by key or `error_code`, such as `ERR_NGROK_413`.
        "error": "str",
        # The `msg` of the error.
        "message": "str",
        # The `Retry-After` header, rounded up to seconds. The default for an `error` with status 429 is 60 s.
        "retryAfter": "Duration",
        # The delay of the response, on the gateway's clock. For a range such as `1s..3s`, the seed picks a delay for each request. If no other field is set, the response is only delayed.
        "latency": "Duration",
        # True to break the connection: `fetch` rejects, or the server resets the socket.
        "drop": "bool",
        # The number of characters (or bytes, with `traffic`) after which the usual response is truncated.
        "truncate": "int",
        # What happens after the point at which `truncate` cuts off the response. With `break`, the connection breaks. With `stall`, nothing more is sent until the client gives up. Both keep the Content-Length of the whole response. Default: `complete`.
        "ending": "Literal['complete', 'break', 'stall']",
        # The body of the response. A string, such as an HTML page, is sent unchanged; an object is sent as JSON.
        "body": "str | dict[str, Any]",
    },
    total=False,
)

FailedAttempt = TypedDict(
    "FailedAttempt",
    {
        # The error of the attempt.
        "outcome": "Literal['INTERNAL_ERROR', 'DNS_ERROR']",
        # The numbered error, by code or key. The job's `msg` ends with the code.
        "error": "CertificateError",
        # The job's `msg`, instead of the standard one.
        "message": "str",
        # The time from the attempt to `retries_at`. If it is negative, such as `-5m`, `retries_at` is already in the past, and the next attempt runs after the usual wait.
        "retriesAfter": "Duration",
    },
    total=False,
)

Visitor = TypedDict(
    "Visitor",
    {
        # The address. Default: `203.0.113.1`.
        "ip": "str",
        # The country of the address: a two-letter code, such as `DE`.
        "country": "str",
        # True to accept any certificate, like `curl --insecure`. Default: the visitor rejects expired certificates and certificates for other names.
        "insecure": "bool",
        # The client certificate that the visitor presents for mutual TLS, as PEM, optionally followed by intermediate certificates. Default: none.
        "certificate": "str",
        # The identity of a visitor who has signed in. Default: not signed in.
        "identity": "dict[str, Any]",
        # Other variables by path, such as `{ "conn.client_ip.is_tor_node": true }`.
        "facts": "dict[str, Any]",
        # The results of actions that the gateway does not carry out, by type.
        "actions": "dict[str, Any]",
    },
    total=False,
)

Upstream = TypedDict(
    "Upstream",
    {
        # The URL of the upstream, or the ID of a backend.
        "url": "str",
        # The status of the response. Default: 200.
        "status": "int",
        # The headers of the response.
        "headers": "dict[str, str]",
        # The body of the response.
        "body": "str",
        # The number of requests that receive this response. Default: all.
        "times": "int",
    },
    total=False,
)

EdgeEndpointDeclaration = TypedDict(
    "EdgeEndpointDeclaration",
    {
        # An HTTPS, TCP, or TLS edge that no operation created. If it is not declared yet, it is also declared.
        "edge": "str",
        # The URL where the edge is online: `https` or `http` for an HTTPS edge, `tcp` with a port for a TCP edge, `tls` for a TLS edge.
        "url": "str",
        # The ID of the reserved domain that the URL uses. Default: the domain that matches the URL, if any.
        "domain": "str",
        # False to exempt the declared resource from the account's limits. Default: `true`.
        "limits": "bool",
    },
    total=False,
)

DevDomainDeclaration = TypedDict(
    "DevDomainDeclaration",
    {
        # The label of the domain, or its whole name. Default: three words derived from the seed.
        "name": "str",
    },
    total=False,
)

CredentialDeclaration = TypedDict(
    "CredentialDeclaration",
    {
        # True for the account's default authtoken, which no operation can create.
        "default": "bool",
    },
    total=False,
)

CommandFailures = TypedDict(
    "CommandFailures",
    {
        # The reason for the agent's failure to restart.
        "restart": "str",
        # The reason for the agent's failure to stop.
        "stop": "str",
        # The reason for the agent's failure to update.
        "update": "str",
    },
    total=False,
)

AgentEndpoint = TypedDict(
    "AgentEndpoint",
    {
        # A human-readable description. At most 255 bytes in UTF-8.
        "description": "str",
        # Arbitrary data that the service doesn't interpret. At most 4096 bytes in UTF-8.
        "metadata": "str",
        # The URL where the endpoint is online, without the default port of its scheme. Default: a new host under `ngrok-free.app`.
        "url": "str",
        # The address that the agent forwards traffic to. Default: `http://localhost:80`.
        "forwards_to": "str",
        # The name that the agent gives the endpoint. Default: `command_line`.
        "name": "str",
        # The networks from which the endpoint can be reached: `public`, `internal`, or `kubernetes`. Default: `internal` for hosts under `.internal`, else `public`.
        "binding": "Literal['public', 'internal', 'kubernetes']",
        # True if other pooled endpoints can be online at the same URL. Default: `false`.
        "pooling_enabled": "bool",
        # The traffic policy, in JSON or YAML, byte for byte as sent.
        "traffic_policy": "str",
        # The protocol that the agent uses for its upstream: `http2`; otherwise HTTP/1.1.
        "upstream_protocol": "str",
        # False if the agent doesn't record requests to show them in its own API. Default: `true`.
        "inspect": "bool",
    },
    total=False,
)

LabelledTunnel = TypedDict(
    "LabelledTunnel",
    {
        # The name that the agent gives the tunnel.
        "name": "str",
        # The labels that edges use to select the tunnel.
        "labels": "dict[str, str]",
        # The address that the agent forwards traffic to. Default: `http://localhost:80`.
        "forwards_to": "str",
        # Arbitrary data that the service doesn't interpret. At most 4096 bytes in UTF-8.
        "metadata": "str",
    },
    total=False,
)

EventSourceDeclaration = TypedDict(
    "EventSourceDeclaration",
    {
        # The ID of the event subscription.
        "subscription_id": "str",
        # The event type. If the subscription doesn't have this type, it is added.
        "type": "str",
        # A CEL expression over `ev`, the event object, that events must match. Default: all events.
        "filter": "str",
        # The paths of the fields that the event object contains, such as `http.request.method`. Default: all fields.
        "fields": "list[str]",
    },
    total=False,
)

ApplicationUserDeclaration = TypedDict(
    "ApplicationUserDeclaration",
    {
        # The name of the identity provider. Default: `google`.
        "provider": "str",
        # The URL of the identity provider. Default: `https://accounts.google.com`.
        "provider_url": "str",
        # The person's ID at the provider. Default: `1`.
        "provider_user_id": "str",
        # The name that the person signs in with. Default: `kim@example.com`.
        "username": "str",
        # The person's email address. Default: `kim@example.com`.
        "email": "str",
        # The person's name. Default: `Kim`.
        "name": "str",
    },
    total=False,
)

ApplicationSessionDeclaration = TypedDict(
    "ApplicationSessionDeclaration",
    {
        # The ID of the application user.
        "user": "str",
        # The URL where the person signed in. Default: `https://app.example.com`.
        "public_url": "str",
        # The User-Agent header. Default: `Mozilla/5.0`.
        "user_agent": "str",
        # The IP address that the person connects from. Default: `203.0.113.10`.
        "ip_address": "str",
        # The two-letter country code. Default: `null`.
        "country_code": "str",
        # The time until the session ends. Default: one day.
        "expires_in": "Duration",
        # The endpoint. Default: none.
        "endpoint": "str",
        # The edge. Default: none.
        "edge": "str",
        # The route of the edge. Requires `edge`. Default: none.
        "route": "str",
    },
    total=False,
)

SurvivalSettings = TypedDict(
    "SurvivalSettings",
    {
        # The name of the code in reports. Default: `The code`.
        "name": "str",
        # The maximum number of failures in one schedule. Default: 1, or 0 with `copies`.
        "faults": "int",
        # The number of copies of the code to run concurrently, from 1 to 3. Different orders of their requests are tried. Default: 1.
        "copies": "int",
        # The maximum number of switches between copies. Default: 2.
        "switches": "int",
        # True to also try crashes: the code is killed after a request and called again. Default: false.
        "restart": "bool",
        # The maximum duration of a run, on the gateway's clock. Default: `6h`.
        "within": "Duration",
        # The maximum number of schedules. Default: 20,000.
        "max": "int",
        # The kinds of failures to try. Default: all except those that `also` adds.
        "kinds": "list[Literal['lost', '5xx', '429', 'cut', 'silent', 'crash', 'outcomes']]",
        # Additional kinds of failures: `late`, `slow`. Default: none.
        "also": "list[Literal['late', 'slow']]",
        # A single schedule to run, from a report. Default: all schedules.
        "replay": "str",
        # Paths to exclude from the comparison, such as `reserved_addrs.metadata`. Default: none.
        "ignore": "list[str]",
        # The families whose resources the code may leave behind when it fails. The code is then called again. Default: none.
        "mayLeave": "list[str]",
        # A regular expression for the errors that the code is allowed to fail with. Default: any error.
        "allow": "str",
        # How long a request may wait for its response, in real seconds. Default: 2.
        "silence": "float",
        # The maximum duration of a run, in real seconds. Default: 60.
        "timeout": "float",
        # The maximum number of concurrent runs; twice as many may also be waiting for a response. Use 1 if runs share files, ports, or a database. Default: 1.
        "jobs": "int",
    },
    total=False,
)

DnsFields = TypedDict(
    "DnsFields",
    {
        # A CNAME's target, an A record's IPv4 address, the comma-separated authorities that a CAA record allows, or the name of the CDN. Absent for name servers that fail, and for CAA with only `issuewild`.
        "value": "str",
        # The authorities that a CAA record allows for wildcards, in the same form. Default: the same as for other names.
        "issuewild": "str",
        # How long the record takes to propagate, by the gateway's clock. Default: no time.
        "after": "Duration",
    },
    total=False,
)

UpstreamFields = TypedDict(
    "UpstreamFields",
    {
        # The status of the response. Default: 200.
        "status": "int",
        # The headers of the response.
        "headers": "dict[str, str]",
        # The body of the response.
        "body": "str",
        # The number of requests that receive this response. Default: all.
        "times": "int",
    },
    total=False,
)

DnsFilter = TypedDict(
    "DnsFilter",
    {
        # Only the record for this name.
        "name": "str",
        # Only records of this type.
        "type": "Literal['CNAME', 'A', 'CAA', 'PROXY', 'SERVFAIL', 'TIMEOUT']",
        # Only records with this value.
        "value": "str",
    },
    total=False,
)

EventFilter = TypedDict(
    "EventFilter",
    {
        # Only events of this type, such as `ip_policy_created.v0`.
        "type": "str",
        # Only events for the event destination with this ID.
        "destination": "str",
    },
    total=False,
)

FaultFilter = TypedDict(
    "FaultFilter",
    {
        # Only the fault with this ID.
        "id": "str",
    },
    total=False,
)

ScriptFilter = TypedDict(
    "ScriptFilter",
    {
        # The ID of a domain, or its name, even before it is reserved. Default: any domain.
        "domain": "str",
        # Only the outcome with this ID.
        "id": "str",
    },
    total=False,
)

MissedRequest = TypedDict(
    "MissedRequest",
    {
        # The ID of the request's operation, as shown in the journal.
        "operationId": "str",
        # The method and the path.
        "request": "str",
        # The reason that the fault did not apply.
        "reason": "str",
    },
    total=False,
)

TimelineEntry = TypedDict(
    "TimelineEntry",
    {
        # The time of the transition: UTC, in whole seconds.
        "at": "str",
        # The transition.
        "transition": "Literal['started', 'failed', 'retried', 'issued', 'renewal started', 'renewal failed', 'renewed', 'cancelled']",
        # The outcome of an attempt; null for transitions that do not end an attempt.
        "outcome": "Literal['success', 'INTERNAL_ERROR', 'DNS_ERROR'] | None",
        # A description of the transition.
        "message": "str",
    },
    total=False,
)

WaitingRequest = TypedDict(
    "WaitingRequest",
    {
        # The ID of the request's operation, as shown in the journal.
        "operationId": "str",
        # The time of the response, rounded up to a whole second.
        "until": "str",
    },
    total=False,
)

TrafficOutcome = TypedDict(
    "TrafficOutcome",
    {
        # The number of the request in the traffic journal.
        "number": "float",
        # The status of the response; null if the gateway closed the connection, or the visitor rejected its certificate.
        "status": "float | None",
        # The headers of the response. Multiple values are joined by commas.
        "headers": "dict[str, str]",
        # The body of the response, as a string.
        "body": "str",
        # The reason that the body ends early. Absent if the body is complete.
        "incomplete": "str",
        # The rule that responded or closed the connection, by its name, or by its position if it has no name; null if no rule did.
        "rule": "str | None",
        # The trace of the request: each rule with its expressions and actions.
        "trace": "list[dict[str, Any]]",
    },
    total=False,
)

Commit = TypedDict(
    "Commit",
    {
        # The operation, such as `reserved_domains.create`; the due event, such as `reserved_domains.due`; or `control`.
        "operation": "str",
        # The gateway's time.
        "at": "str",
        # The changes to records, in order: each record before and after the change.
        "changes": "list[dict[str, Any]]",
    },
    total=False,
)

DnsRecord = TypedDict(
    "DnsRecord",
    {
        # The DNS name, optionally with a leading `*.`; stored in lowercase without a trailing dot.
        "name": "str",
        # The type of the record; `PROXY` for the addresses of a CDN that hides the record, `SERVFAIL` and `TIMEOUT` for name servers that fail.
        "type": "Literal['CNAME', 'A', 'CAA', 'PROXY', 'SERVFAIL', 'TIMEOUT']",
        # A CNAME's target, an A record's IPv4 address, the comma-separated authorities that a CAA record allows, or the name of the CDN. Absent for name servers that fail, and for CAA with only `issuewild`.
        "value": "str",
        # The authorities that a CAA record allows for wildcards, in the same form. Default: the same as for other names.
        "issuewild": "str",
        # The time from which resolvers see the record; absent if they see the record immediately.
        "visibleFrom": "str",
    },
    total=False,
)

SentEvent = TypedDict(
    "SentEvent",
    {
        # The ID of the event, the same for all destinations.
        "event_id": "str",
        # The type, such as `ip_policy_created.v0`.
        "event_type": "str",
        # The time of the event.
        "event_timestamp": "str",
        # The ID of the account.
        "account_id": "str",
        # The user and the key that made the change; null for traffic.
        "principal": "dict[str, Any] | None",
        # The resource as the API showed it at that time, or the request or connection.
        "object": "dict[str, Any]",
        # The ID of the subscription. Destinations do not receive this field or the following ones.
        "subscription": "str",
        # The ID of the event destination.
        "destination": "str",
        # `kept` if the `destinations` option has no URL for this kind of destination; `waiting` before the first attempt that succeeds; `failed` after 24 hours of attempts, or if the destination was deleted.
        "delivery": "Literal['kept', 'waiting', 'delivered', 'failed']",
        # The number of attempts to deliver it.
        "attempts": "float",
        # The reason that the last attempt failed, or null if it did not fail.
        "problem": "str | None",
    },
    total=False,
)

Ref = TypedDict(
    "Ref",
    {
        # The ID of the resource.
        "id": "str",
        # The URL of the resource.
        "uri": "str",
    },
    total=False,
)

ReservedDomainCertPolicy = TypedDict(
    "ReservedDomainCertPolicy",
    {
        # The public ACME certificate authority to issue the certificates. One of `letsencrypt`.
        "authority": "str",
        # The key type of the certificates.
        "private_key_type": "Literal['rsa', 'ecdsa']",
    },
    total=False,
)

ReservedDomainCertJob = TypedDict(
    "ReservedDomainCertJob",
    {
        # The error of the last attempt: `INTERNAL_ERROR` is temporary, and the user must fix a `DNS_ERROR`; null if there was none. One of `INTERNAL_ERROR`, `DNS_ERROR`.
        "error_code": "str | None",
        # The state of the job, as text.
        "msg": "str",
        # The time at which the job started.
        "started_at": "str",
        # The time of the next attempt; null before the first.
        "retries_at": "str | None",
    },
    total=False,
)

ResolvesTo = TypedDict(
    "ResolvesTo",
    {
        # A region (`us`, `us-cal-1`, `eu`, `ap`, `au`, `in`, `jp`, `sa`, `global`), or a dedicated IP address with or without a port.
        "value": "str",
    },
    total=False,
)

Credential = TypedDict(
    "Credential",
    {
        # The ID, assigned at creation; IDs sort in creation order.
        "id": "str",
        # The URL of the resource.
        "uri": "str",
        # The creation time, in UTC and whole seconds.
        "created_at": "str",
        # A human-readable description. Absent until set.
        "description": "str",
        # Arbitrary data that the service doesn't interpret. Absent until set.
        "metadata": "str",
        # The token. Included only in the response to the request that created it; null in all other responses.
        "token": "str | None",
        # The rules for what an agent may bind, such as `bind:*.example.com`. An empty list allows everything.
        "acl": "list[str]",
        # The owner: the account's user, a bot user, or a service user.
        "owner_id": "str",
    },
    total=False,
)

EventSource = TypedDict(
    "EventSource",
    {
        # The event type, such as `ip_policy_created.v0`.
        "type": "str",
        # The URL of the resource.
        "uri": "str",
    },
    total=False,
)

IdentityProvider = TypedDict(
    "IdentityProvider",
    {
        # The name of the provider.
        "name": "str",
        # The URL of the provider.
        "url": "str",
    },
    total=False,
)

UserAgent = TypedDict(
    "UserAgent",
    {
        # The User-Agent header.
        "raw": "str",
        # The name of the browser; "" in fauxgate, which does not read the header.
        "browser_name": "str",
        # The version of the browser; "" in fauxgate.
        "browser_version": "str",
        # The kind of device; "" in fauxgate.
        "device_type": "str",
        # The operating system; "" in fauxgate.
        "os_name": "str",
        # The version of the operating system; "" in fauxgate.
        "os_version": "str",
    },
    total=False,
)

Location = TypedDict(
    "Location",
    {
        # The two-letter country code.
        "country_code": "str | None",
        # The latitude; null in fauxgate.
        "latitude": "float | None",
        # The longitude; null in fauxgate.
        "longitude": "float | None",
        # The accuracy of the coordinates; null in fauxgate.
        "lat_long_radius_km": "float | None",
    },
    total=False,
)

Options = TypedDict(
    "Options",
    {
        # The service to emulate.
        "dialect": "Literal['standard', 'ngrok']",
        # The source of the time.
        "clock": "Literal['system', 'manual']",
        # The start of a manual clock, such as `2026-01-01T00:00:00Z`.
        "start": "Time",
        # The plan whose documented limits apply to the account.
        "plan": "Literal['free', 'hobbyist', 'paygo']",
        # Additional origins whose pages may call the server. Its own pages and pages from this machine may always call it. `*` allows all origins. Default: none.
        "cors": "list[str]",
        # The seed for IDs and certificates: the same seed and calls produce the same IDs. Default: a random one for each gateway.
        "seed": "str",
        # The resources that exist at the start and after each `reset()`: request bodies by family. The API's rules apply to them.
        "initial": "Any",
        # Which edges, routes, endpoint configurations, and child backends are treated as existing: any whose ID has the right prefix (the default), or only those declared with `gateway.declare`.
        "references": "Literal['any', 'declared']",
        # How to treat traffic policy actions of an unknown type. Default: `refuse`.
        "unknownActions": "Literal['refuse', 'accept']",
        # Return 200 and `{}` instead of 204, for clients that cannot read an empty response. Default: false.
        "emptyJsonOnDelete": "bool",
        # The `msg` of errors. With `varied`, it contains nothing useful and is different each time, so code that matches on it fails. Reports still show the usual text. Default: `usual`.
        "errorText": "Literal['usual', 'varied']",
        # Behavior of the real service that differs from its API reference.
        "quirks": "Quirks",
        # Return 429 for too many HTTP requests. `true` allows 120 requests per 60 seconds. Default: false.
        "rateLimit": "Any",
        # The account that owns the gateway's resources: a plan, and limits by name. A call that exceeds a limit fails. Default: no limits.
        "account": "Any",
        # The number of addresses in each region, 1 to 2,000,000. Default: 2,000,000.
        "addressesPerRegion": "int",
        # Domain names that another account has reserved. Reserving any of these names fails, and so does reserving a subdomain of one or a wildcard that covers one. Default: none.
        "takenDomains": "list[str]",
        # The DNS zone that provisioning attempts check: with `simulated`, the zone in `gateway.dns`; with `off`, none. Default: `off`.
        "dns": "Literal['off', 'simulated']",
        # The time from the start of a provisioning job to its first attempt. With 0, the certificate is issued during the creating call. Default: 30s.
        "provisioningDelay": "Duration",
        # How long automatic certificates are valid, and how long before expiry they are renewed. Default: the values of Let's Encrypt at the gateway's time: 90d, then 64d from 2027-02-10 and 45d from 2028-02-16.
        "certificates": "Any",
        # How long a job waits after its first INTERNAL_ERROR. The wait doubles after each further error, up to `most`. Default: 1m and 64m.
        "internalErrorBackoff": "ErrorBackoff",
        # How long a job waits after a DNS_ERROR. Default: 1h.
        "dnsErrorRetry": "Duration",
        # The keys of the authority. `test`: the published test keys. `fresh`: new secret keys, which a store persists. `{ secret }`: keys derived from your secret, the same in every gateway that uses it. RSA certificates always use the published test key. Never add the authority to a trust store. Default: `test`.
        "authorityKeys": "Any",
    },
    total=False,
)

Visit = TypedDict(
    "Visit",
    {
        # The URL of the request.
        "url": "str",
        # The method. Default: GET.
        "method": "str",
        # The headers, by name.
        "headers": "dict[str, str]",
        # The body, as a string.
        "body": "str",
        # The visitor.
        "from": "Visitor",
        # The edge that receives the request. Required in the standard dialect.
        "edge": "str",
        # The route of the edge.
        "route": "str",
        # The backend that receives the request. Default: the route's backend.
        "backend": "str",
    },
    total=False,
)

TunnelSessionDeclaration = TypedDict(
    "TunnelSessionDeclaration",
    {
        # The agent's version. Default: `3.39.0`.
        "agent_version": "str",
        # The credential or SSH credential of the agent. Default: a new one.
        "credential": "str",
        # The address that the agent connects from. Default: `203.0.113.10`.
        "ip": "str",
        # Arbitrary data that the service doesn't interpret. At most 4096 bytes in UTF-8.
        "metadata": "str",
        # The agent's operating system. Default: `linux`.
        "os": "str",
        # The region that the agent is connected to. Default: `us`.
        "region": "str",
        # The time at which the session started. Default: now.
        "started_at": "Time",
        # The protocol between the agent and the service; `ssh` if there is no agent. Default: `ngrok/2`.
        "transport": "str",
        # The commands that the agent supports. Default: all commands.
        "supports": "list[Literal['restart', 'stop', 'update']]",
        # The commands that fail on the agent, and why each fails.
        "failing": "CommandFailures",
        # The version that the agent can be updated to. Default: none.
        "update": "str",
        # False if commands can't reach the agent. Default: `true`.
        "reachable": "bool",
        # The agent's online endpoints.
        "endpoints": "list[AgentEndpoint]",
        # The agent's open labeled tunnels.
        "labelled": "list[LabelledTunnel]",
        # False to exempt the declared resource from the account's limits. Default: `true`.
        "limits": "bool",
    },
    total=False,
)

ScriptOptions = TypedDict(
    "ScriptOptions",
    {
        # The ID of a domain, or its name, even before it is reserved. Default: any domain.
        "domain": "str",
        # How many times to use the outcomes. Default: 1.
        "times": "int",
        # True to use these outcomes before the pending ones for the same domain, instead of after them. Default: `false`.
        "first": "bool",
        # The outcome of all attempts after those scripted for the same domain. It takes precedence over outcomes for any domain.
        "always": "Literal['success', 'INTERNAL_ERROR', 'DNS_ERROR'] | CertificateError | FailedAttempt",
    },
    total=False,
)

VisitFields = TypedDict(
    "VisitFields",
    {
        # The method. Default: GET.
        "method": "str",
        # The headers, by name.
        "headers": "dict[str, str]",
        # The body, as a string.
        "body": "str",
        # The visitor.
        "from": "Visitor",
        # The edge that receives the request. Required in the standard dialect.
        "edge": "str",
        # The route of the edge.
        "route": "str",
        # The backend that receives the request. Default: the route's backend.
        "backend": "str",
    },
    total=False,
)

ListedFault = TypedDict(
    "ListedFault",
    {
        # The ID of the fault, for `remove`. The journal shows it too.
        "id": "str",
        # The operation's name, such as `reserved_domains.create`.
        "operation": "str",
        # The method of the request. With `operation`, it must be that operation's method. One of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`.
        "method": "str",
        # The path under the base URL, such as `/reserved_domains`.
        "path": "str",
        # An ID in the request's path, such as `rd_…`.
        "resource": "str",
        # The URL or the ID of an upstream, as passed to `gateway.traffic.upstream`. The fault applies to requests that the gateway forwards to this upstream, not to API requests.
        "traffic": "str",
        # The path of a request to the agent's API, such as `/api/tunnels`. The fault does not affect the REST API.
        "agent": "str",
        # The number of matching requests that this fault applies to. Default: all, until you remove it.
        "times": "int",
        # The number of matching requests to let through before the fault applies.
        "after": "int",
        # With `before`, the operation does not run. With `after`, the change is made and the client still sees an error. Default: `before`.
        "phase": "Literal['before', 'after']",
        # The HTTP status of the error. Default: the status of `error`, or 503.
        "status": "int",
        # An error, by key or `error_code`, such as `ERR_NGROK_413`.
        "error": "str",
        # The `msg` of the error.
        "message": "str",
        # The `Retry-After` header, rounded up to seconds. The default for an `error` with status 429 is 60 s.
        "retryAfter": "int | str",
        # The delay of the response, on the gateway's clock. For a range such as `1s..3s`, the seed picks a delay for each request. If no other field is set, the response is only delayed.
        "latency": "int | str",
        # True to break the connection: `fetch` rejects, or the server resets the socket.
        "drop": "bool",
        # The number of characters (or bytes, with `traffic`) after which the usual response is truncated.
        "truncate": "int",
        # What happens after the point at which `truncate` cuts off the response. With `break`, the connection breaks. With `stall`, nothing more is sent until the client gives up. Both keep the Content-Length of the whole response. Default: `complete`.
        "ending": "Literal['complete', 'break', 'stall']",
        # The body of the response. A string, such as an HTML page, is sent unchanged; an object is sent as JSON.
        "body": "str | dict[str, Any]",
        # The number of requests that the fault has applied to.
        "hits": "int",
        # The number of matching requests that were let through before the fault applied.
        "passed": "int",
        # `pending` while it waits for a request, `active` if it applies to requests until you remove it, or `used up`.
        "state": "Literal['pending', 'active', 'used up']",
        # Of the last 5 requests, those that it did not apply to, oldest first. Absent if the fault is not pending.
        "missed": "list[MissedRequest]",
    },
    total=False,
)

Request = TypedDict(
    "Request",
    {
        # The operation ID of the response.
        "operationId": "str",
        # The operation's name, such as `reserved_domains.create`; null for an unknown path or method.
        "operation": "str | None",
        # The method of the request.
        "method": "str",
        # The path under the base URL, without the query.
        "path": "str",
        # The query as sent, without the `?`; empty if there is none.
        "query": "str",
        # The gateway's time, as a timestamp.
        "at": "str",
        # The request headers, by lowercase name. A header that carries a secret has the value `[redacted]`.
        "requestHeaders": "dict[str, str]",
        # The request's JSON, or a description of a body that is too long or not JSON; null if there is no body.
        "request": "Any",
        # The HTTP status of the response.
        "status": "float",
        # The response headers that the gateway set, by lowercase name.
        "responseHeaders": "dict[str, str]",
        # The response's JSON, or a description of a body that is not JSON; null if there is no body.
        "response": "Any",
        # The changes that the request made; null if it made none.
        "commit": "Commit | None",
        # True if the client gave up before the whole response was sent. `status` is still the response's status.
        "cancelled": "bool",
        # The ID of the fault that applied to the request, or null.
        "fault": "str | None",
        # The problem with the request. Usually absent, because the response states it.
        "problem": "str",
    },
    total=False,
)

ReservedDomainCertStatus = TypedDict(
    "ReservedDomainCertStatus",
    {
        # The time at which the next renewal starts; null until a certificate has been issued.
        "renews_at": "str | None",
        # The job that obtains the first certificate or a new one; null if none is running.
        "provisioning_job": "ReservedDomainCertJob | None",
    },
    total=False,
)

Endpoint = TypedDict(
    "Endpoint",
    {
        # The ID, assigned at creation; IDs sort in creation order.
        "id": "str",
        # The URL of the resource; only for cloud endpoints.
        "uri": "str",
        # The creation time, in UTC and whole seconds.
        "created_at": "str",
        # A human-readable description. Absent until set.
        "description": "str",
        # Arbitrary data that the service doesn't interpret. Absent until set.
        "metadata": "str",
        # The time of the last change.
        "updated_at": "str",
        # The origin of the endpoint: the API (`cloud`), an agent (`ephemeral`), or an edge. One of `cloud`, `ephemeral`, `edge`.
        "type": "str",
        # The URL where the endpoint is online, without the default port of its scheme. Absent for an edge.
        "url": "str",
        # The URL where the endpoint is online, without the default port of its scheme.
        "public_url": "str",
        # The scheme of the URL.
        "proto": "Literal['http', 'https', 'tcp', 'tls']",
        # The host and port of the URL, such as `app.example.com:443`.
        "hostport": "str",
        # The networks from which the endpoint can be reached: `public`, `internal`, or `kubernetes`.
        "bindings": "list[str]",
        # True if other pooled endpoints can be online at the same URL.
        "pooling_enabled": "bool",
        # The traffic policy, in JSON or YAML, byte for byte as sent.
        "traffic_policy": "str",
        # The reserved domain that the URL uses. Absent if there is none.
        "domain": "Ref",
        # The reserved address that the URL uses. Absent if there is none.
        "tcp_addr": "Ref",
        # The endpoint's edge. Absent if there is none.
        "edge": "Ref",
        # The agent's tunnel. Absent if there is none.
        "tunnel": "Ref",
        # The agent's session. Absent if there is none.
        "tunnel_session": "Ref",
        # The owner of the agent's credential. Absent if there is none.
        "principal": "Ref",
        # The name assigned by the agent.
        "name": "str",
        # The URL to which the agent forwards requests.
        "upstream_url": "str",
        # The protocol between the agent and its upstream.
        "upstream_protocol": "str",
    },
    total=False,
)

TunnelSession = TypedDict(
    "TunnelSession",
    {
        # The ID, assigned at creation; IDs sort in creation order.
        "id": "str",
        # The URL of the resource.
        "uri": "str",
        # Arbitrary data that the service doesn't interpret. Absent until set.
        "metadata": "str",
        # The agent's version.
        "agent_version": "str",
        # The credential or SSH credential of the agent.
        "credential": "Ref",
        # The address that the agent connects from.
        "ip": "str",
        # The agent's operating system.
        "os": "str",
        # The region that the agent is connected to.
        "region": "str",
        # The time at which the session started.
        "started_at": "str",
        # The protocol between the agent and the service; `ssh` if there is no agent.
        "transport": "str",
    },
    total=False,
)

ApplicationUser = TypedDict(
    "ApplicationUser",
    {
        # The ID, assigned at creation; IDs sort in creation order.
        "id": "str",
        # The URL of the resource.
        "uri": "str",
        # The identity provider that the person signed in with.
        "identity_provider": "IdentityProvider",
        # The person's ID at the provider.
        "provider_user_id": "str",
        # The name that the person signs in with.
        "username": "str",
        # The person's email address.
        "email": "str",
        # The person's name.
        "name": "str",
        # The creation time, in UTC and whole seconds.
        "created_at": "str",
        # The time of the last request.
        "last_active": "str",
        # The time of the last sign-in.
        "last_login": "str",
    },
    total=False,
)

BrowserSession = TypedDict(
    "BrowserSession",
    {
        # The user's browser or other client.
        "user_agent": "UserAgent",
        # The IP address that the person connects from.
        "ip_address": "str",
        # The location of the address; null if it is unknown.
        "location": "Location | None",
    },
    total=False,
)

Declaration = TypedDict(
    "Declaration",
    {
        # The ID of an HTTPS, TCP, or TLS edge.
        "edge": "str",
        # The IDs of routes to add to the edge, which must be an HTTPS edge.
        "routes": "list[str]",
        # The ID of an endpoint configuration.
        "endpoint_configuration": "str",
        # The ID of a backend that can be a child of a weighted backend.
        "backend": "str",
        # Declares an edge's endpoint, which no operation can create. `gateway.declare.end(id)` removes it.
        "edge_endpoint": "EdgeEndpointDeclaration",
        # Declares the account's dev domain, which no operation can create or delete. `gateway.declare.end(id)` removes it.
        "dev_domain": "DevDomainDeclaration",
        # Declares a credential that no operation can create.
        "credential": "CredentialDeclaration",
        # Declares an agent session, with its endpoints and tunnels.
        "tunnel_session": "TunnelSessionDeclaration",
        # Declares the filter and the fields of an event source, which only the service's dashboard can set.
        "event_source": "EventSourceDeclaration",
        # Declares a person who has just signed in to an endpoint.
        "application_user": "ApplicationUserDeclaration",
        # Declares a person's session, which starts now.
        "application_session": "ApplicationSessionDeclaration",
    },
    total=False,
)

ReservedDomain = TypedDict(
    "ReservedDomain",
    {
        # The ID, assigned at creation; IDs sort in creation order.
        "id": "str",
        # The URL of the resource.
        "uri": "str",
        # The creation time, in UTC and whole seconds.
        "created_at": "str",
        # A human-readable description. Absent until set.
        "description": "str",
        # Arbitrary data that the service doesn't interpret. Absent until set.
        "metadata": "str",
        # The hostname, exact or with one leading `*.`. It is stored in lowercase, and can be reserved only once.
        "domain": "str",
        # A datacenter region; deprecated, because traffic for domains is handled globally.
        "region": "str | None",
        # The target of the name's CNAME record; null for a domain that the service owns.
        "cname_target": "str | None",
        # The TLS certificate in use: the uploaded one or the last one issued automatically; null if there is none.
        "certificate": "Ref | None",
        # The policy for issuing certificates automatically; null if there is none.
        "certificate_management_policy": "ReservedDomainCertPolicy | None",
        # The state of automatic issuance; null if there is no policy.
        "certificate_management_status": "ReservedDomainCertStatus | None",
        # The target of the CNAME record that the wildcard's `_acme-challenge.` name needs; null for exact names and for names that the service owns.
        "acme_challenge_cname_target": "str | None",
        # The endpoint configuration that is linked for HTTP, or null.
        "http_endpoint_configuration": "Ref | None",
        # The endpoint configuration that is linked for HTTPS, or null.
        "https_endpoint_configuration": "Ref | None",
        # The URL that visitors are redirected to instead of seeing the service's error pages. Null if there is none.
        "error_redirect_url": "str | None",
        # True for the account's dev domain, which cannot be deleted.
        "is_dev": "bool",
        # The regions or dedicated IP addresses (or both) that the name resolves to; `[]` removes them.
        "resolves_to": "list[ResolvesTo]",
    },
    total=False,
)

ApplicationSession = TypedDict(
    "ApplicationSession",
    {
        # The ID, assigned at creation; IDs sort in creation order.
        "id": "str",
        # The URL of the resource.
        "uri": "str",
        # The URL where the person signed in.
        "public_url": "str",
        # The program and the address of the session.
        "browser_session": "BrowserSession",
        # The person.
        "application_user": "Ref",
        # The creation time, in UTC and whole seconds.
        "created_at": "str",
        # The time of the last request.
        "last_active": "str",
        # The time at which the session ends.
        "expires_at": "str",
        # The agent's endpoint, or null.
        "endpoint": "Ref | None",
        # The edge, or null.
        "edge": "Ref | None",
        # The edge's route, or null.
        "route": "Ref | None",
    },
    total=False,
)

Declared = TypedDict(
    "Declared",
    {
        # A URL that is online: a cloud endpoint, an agent's endpoint, or an edge's endpoint.
        "edge_endpoint": "Endpoint",
        # A hostname reserved for the account.
        "dev_domain": "ReservedDomain",
        # A credential, whose authtoken agents use to connect.
        "credential": "Credential",
        # The connection of an agent.
        "tunnel_session": "TunnelSession",
        # An event type in a subscription.
        "event_source": "EventSource",
        # A person who has signed in to an endpoint.
        "application_user": "ApplicationUser",
        # A person's session at an endpoint.
        "application_session": "ApplicationSession",
    },
    total=False,
)

Outcome = Literal['success', 'INTERNAL_ERROR', 'DNS_ERROR'] | CertificateError | FailedAttempt
RecordType = Literal['CNAME', 'A', 'CAA', 'PROXY', 'SERVFAIL', 'TIMEOUT']
RequestFilter = TypedDict("RequestFilter", {"operationId": "str", "operation": "str | None", "method": "str", "path": "str", "query": "str", "at": "str", "requestHeaders": "dict[str, str]", "request": "Any", "status": "float", "responseHeaders": "dict[str, str]", "response": "Any", "commit": "Commit | None", "cancelled": "bool", "fault": "str | None", "problem": "str"}, total=False)
