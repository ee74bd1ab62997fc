"""The types of what the controls take and return. `npm run generate` writes this file from the document of the controls."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

Duration = timedelta | int | str
Time = datetime | str

Quirks = TypedDict(
    "Quirks",
    {
        # A PATCH of a weighted backend without `backends` keeps its backends instead of removing them. Default: false.
        "keepBackendsOnPatch": "bool",
        # The response to a PATCH that sets a certificate management policy has a null `certificate_management_status`. The next read shows the job. Default: false.
        "lateStatus": "bool",
        # Accepts a cloud endpoint's policy that does not end traffic, so that a test can use part of a policy. Default: false.
        "policyMayFallThrough": "bool",
        # The status of error 413, for a domain name that is already reserved. Default: 400 in the dialect `ngrok`, as observed at ngrok, and 409 in `standard`.
        "takenStatus": "Literal[400, 409]",
    },
    total=False,
)

ErrorBackoff = TypedDict(
    "ErrorBackoff",
    {
        # How long a job waits after its first INTERNAL_ERROR. Default: 1m.
        "first": "Duration",
        # The longest time that a job waits after an INTERNAL_ERROR. Default: 64m.
        "most": "Duration",
    },
    total=False,
)

Fault = TypedDict(
    "Fault",
    {
        # The operation's name, such as `reserved_domains.create`.
        "operation": "str",
        # The method of the request. With `operation`, the method must be one of that operation. One of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`.
        "method": "str",
        # The path below the base URL, such as `/reserved_domains`.
        "path": "str",
        # An id in the path of the request, such as `rd_…`.
        "resource": "str",
        # The URL or the id of an upstream, as `gateway.traffic.upstream` takes it. The fault applies to what the gateway forwards to it, not to API requests.
        "traffic": "str",
        # The path of a request to the agent's API, such as `/api/tunnels`. The fault does not apply to the REST API.
        "agent": "str",
        # The number of matching requests that this fault applies to. Default: all, until you remove it.
        "times": "int",
        # The number of matching requests that pass before the fault begins.
        "after": "int",
        # With `before` the operation does not run. With `after` the change is made, and the client still sees an error. Default: `before`.
        "phase": "Literal['before', 'after']",
        # The HTTP status of the error, by default that of `error`, or 503.
        "status": "int",
        # An error, by its key or its `error_code`, such as `ERR_NGROK_413`.
        "error": "str",
        # The `msg` of the error.
        "message": "str",
        # The `Retry-After` header, rounded up to seconds. An `error` of status 429 has 60 s by default.
        "retryAfter": "Duration",
        # The delay of the response, on the gateway's clock. From a range such as `1s..3s`, the seed picks one for each request. Without other fields, the response is otherwise the usual one.
        "latency": "Duration",
        # True breaks the connection: `fetch` rejects, and a server resets the socket.
        "drop": "bool",
        # The number of characters after which the usual response is cut; with `traffic`, of bytes.
        "truncate": "int",
        # The end of a response that `truncate` cuts. With `break` the connection breaks there. With `stall` nothing more comes until the client gives up. Both keep the Content-Length of the whole response. Default: `complete`.
        "ending": "Literal['complete', 'break', 'stall']",
        # The body of the response: a text, such as an HTML page, is sent unchanged; an object is sent as JSON.
        "body": "str | dict[str, Any]",
    },
    total=False,
)

FailedAttempt = TypedDict(
    "FailedAttempt",
    {
        # The error of the attempt.
        "outcome": "Literal['INTERNAL_ERROR', 'DNS_ERROR']",
        # The numbered error, by its code or its key. The `msg` of the job ends with the code.
        "error": "str",
        # The `msg` of the job, instead of the usual one.
        "message": "str",
        # The time from the attempt to `retries_at`. With a minus, such as `-5m`, `retries_at` has passed already, and the next attempt comes after the usual wait.
        "retriesAfter": "Duration",
    },
    total=False,
)

DnsFields = TypedDict(
    "DnsFields",
    {
        # A CNAME's name, an A record's IPv4 address, the authorities that CAA allows, separated by commas, or the name of the CDN; nothing for name servers that fail, and for CAA with `issuewild` alone.
        "value": "str",
        # The authorities that CAA allows for wildcards, in the same form; absent if `value` holds for wildcards too.
        "issuewild": "str",
        # How long the record takes to propagate, on the gateway's clock. Default: no time.
        "after": "Duration",
    },
    total=False,
)

Visitor = TypedDict(
    "Visitor",
    {
        # The address. Default: `203.0.113.1`.
        "ip": "str",
        # The country of the address, as two letters such as `DE`.
        "country": "str",
        # True accepts any certificate, as `curl --insecure` does. Default: the visitor rejects a certificate for another name, or an expired one.
        "insecure": "bool",
        # The client certificate that the visitor shows, as PEM, for mutual TLS. Intermediate certificates may follow it. Default: none.
        "certificate": "str",
        # The identity of a visitor who has signed in. Default: the visitor has not.
        "identity": "dict[str, Any]",
        # Other variables by their paths, such as `{ "conn.client_ip.is_tor_node": true }`.
        "facts": "dict[str, Any]",
        # The results of actions that the gateway does not carry out, by type.
        "actions": "dict[str, Any]",
    },
    total=False,
)

Upstream = TypedDict(
    "Upstream",
    {
        # The URL of the upstream, or the id of a backend.
        "url": "str",
        # The status of the response. Default: 200.
        "status": "int",
        # The headers of the response.
        "headers": "dict[str, str]",
        # The body of the response.
        "body": "str",
        # How many requests get this response. Default: all.
        "times": "int",
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
        # How many requests get this response. Default: all.
        "times": "int",
    },
    total=False,
)

EdgeEndpointDeclaration = TypedDict(
    "EdgeEndpointDeclaration",
    {
        # The HTTPS, TCP or TLS edge, which no operation made. This also declares the edge, if it is not declared yet.
        "edge": "str",
        # The URL at which the edge is online: `https` or `http` for an HTTPS edge, `tcp` with a port for a TCP edge, `tls` for a TLS edge.
        "url": "str",
        # The id of the reserved domain that the URL uses. Default: the domain that fits the URL, if any.
        "domain": "str",
        # False if the limits of the account do not apply to what is declared. Default: `true`.
        "limits": "bool",
    },
    total=False,
)

DevDomainDeclaration = TypedDict(
    "DevDomainDeclaration",
    {
        # The label of the domain, or its whole name. Default: three words, which follow from the seed.
        "name": "str",
    },
    total=False,
)

CredentialDeclaration = TypedDict(
    "CredentialDeclaration",
    {
        # True: the account's default authtoken, which no operation makes.
        "default": "Any",
    },
    total=False,
)

CommandFailures = TypedDict(
    "CommandFailures",
    {
        # The reason why the agent fails to restart.
        "restart": "str",
        # The reason why the agent fails to stop.
        "stop": "str",
        # The reason why the agent fails to update.
        "update": "str",
    },
    total=False,
)

AgentEndpoint = TypedDict(
    "AgentEndpoint",
    {
        # The purpose of the resource, in words for people. At most 255 bytes in UTF-8.
        "description": "str",
        # Any data that programs keep with the resource. The service does not read it. At most 4096 bytes in UTF-8.
        "metadata": "str",
        # The URL at which the endpoint is online, without the usual port of its scheme. Default: a new host below `ngrok-free.app`.
        "url": "str",
        # The address that the agent forwards to. Default: `http://localhost:80`.
        "forwards_to": "str",
        # The name that the agent gives the endpoint. Default: `command_line`.
        "name": "str",
        # The networks that can reach the endpoint: one of `public`, `internal`, `kubernetes`. Default: `internal` for hosts below `.internal`, else `public`.
        "binding": "Literal['public', 'internal', 'kubernetes']",
        # True if other pooled endpoints can be online at the same URL. Default: `false`.
        "pooling_enabled": "bool",
        # The traffic policy, in JSON or YAML, byte for byte as sent.
        "traffic_policy": "str",
        # The protocol that the agent speaks to the address that it forwards to: `http2`, else HTTP/1.1.
        "upstream_protocol": "str",
        # False if the agent keeps no requests for its own API. Default: `true`.
        "inspect": "bool",
    },
    total=False,
)

LabelledTunnel = TypedDict(
    "LabelledTunnel",
    {
        # The name that the agent gives the tunnel.
        "name": "str",
        # The labels by which edges find the tunnel.
        "labels": "dict[str, str]",
        # The address that the agent forwards to. Default: `http://localhost:80`.
        "forwards_to": "str",
        # Any data that programs keep with the resource. The service does not read it. At most 4096 bytes in UTF-8.
        "metadata": "str",
    },
    total=False,
)

EventSourceDeclaration = TypedDict(
    "EventSourceDeclaration",
    {
        # The id of the event subscription.
        "subscription_id": "str",
        # The type of the events. The subscription gets it if it lacks it.
        "type": "str",
        # The CEL expression over `ev`, the object of an event, that events must fulfil. Default: all events.
        "filter": "str",
        # The fields that the object of an event has, by their paths, such as `http.request.method`. Default: all fields.
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
        # The id of the person at the provider. Default: `1`.
        "provider_user_id": "str",
        # The name with which the person signs in. Default: `kim@example.com`.
        "username": "str",
        # The email address of the person. Default: `kim@example.com`.
        "email": "str",
        # The name of the person. Default: `Kim`.
        "name": "str",
    },
    total=False,
)

ApplicationSessionDeclaration = TypedDict(
    "ApplicationSessionDeclaration",
    {
        # The id of the application user.
        "user": "str",
        # The URL at which the person signed in. Default: `https://app.example.com`.
        "public_url": "str",
        # The header User-Agent. Default: `Mozilla/5.0`.
        "user_agent": "str",
        # The address from which the person came. Default: `203.0.113.10`.
        "ip_address": "str",
        # The country, by two letters. Default: `null`.
        "country_code": "str",
        # The time until the session ends. Default: a day.
        "expires_in": "Duration",
        # The endpoint. Default: none.
        "endpoint": "str",
        # The edge. Default: none.
        "edge": "str",
        # The route of the edge, which must be given, too. Default: none.
        "route": "str",
    },
    total=False,
)

MissedRequest = TypedDict(
    "MissedRequest",
    {
        # The id of the request's operation, as in the journal.
        "operationId": "str",
        # The method and the path.
        "request": "str",
        # The reason why the fault did not apply.
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
        "outcome": "Literal['success', 'INTERNAL_ERROR', 'DNS_ERROR']",
        # The transition in words.
        "message": "str",
    },
    total=False,
)

WaitingRequest = TypedDict(
    "WaitingRequest",
    {
        # The id of the request's operation, as in the journal.
        "operationId": "str",
        # The time of the response, rounded up to a whole second.
        "until": "str",
    },
    total=False,
)

TrafficOutcome = TypedDict(
    "TrafficOutcome",
    {
        # The number of the request in the journal of traffic.
        "number": "float",
        # The status of the response; null if the gateway closed the connection, or the visitor rejected its certificate.
        "status": "float | None",
        # The headers of the response. Several values are joined by commas.
        "headers": "dict[str, str]",
        # The body of the response, as a text.
        "body": "str",
        # The reason why the body ends early. Absent if it is whole.
        "incomplete": "str",
        # The rule that ended the request, by its name, else by its place; null if none did.
        "rule": "str | None",
        # The trace of the request: each rule with its expressions and actions.
        "trace": "list[dict[str, Any]]",
    },
    total=False,
)

Request = TypedDict(
    "Request",
    {
        # The operation id of the response.
        "operationId": "str",
        # The operation's name, such as `reserved_domains.create`; null for an unknown path or method.
        "operation": "str | None",
        # The method of the request.
        "method": "str",
        # The path below the base URL, without the query.
        "path": "str",
        # The query as it was sent, without its `?`; empty for none.
        "query": "str",
        # The gateway's time, as a timestamp.
        "at": "str",
        # The headers of the request, by their names in lower case. A header that carries a secret has the value `[redacted]`.
        "requestHeaders": "dict[str, str]",
        # The request's JSON, or a description of a body that is too long or not JSON; null for no body.
        "request": "Any",
        # The HTTP status of the response.
        "status": "float",
        # The headers that the gateway set on the response, by their names in lower case.
        "responseHeaders": "dict[str, str]",
        # The response's JSON, or a description of a body that is not JSON; null for no body.
        "response": "Any",
        # The changes of the request; null if it changed nothing.
        "commit": "dict[str, Any]",
        # True if the client gave up before the whole response was sent. `status` is that of the response.
        "cancelled": "Any",
        # The id of the fault that applied to the request, or null.
        "fault": "str | None",
        # What is wrong with the request. Absent if the response says it, as usual.
        "problem": "str",
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
        "start": "str",
        # The plan whose documented limits apply to the account.
        "plan": "Literal['free', 'hobbyist', 'paygo']",
        # More origins whose pages may call the server. Its own pages and those of this machine may call it by default. `*` allows all. Default: none.
        "cors": "list[str]",
        # The seed of ids and certificates: the same seed and the same calls give the same ids. Default: a random one for each gateway.
        "seed": "str",
        # The resources that exist at the start and after each `reset()`: request bodies, by family. The API's rules apply to them.
        "initial": "Any",
        # The edges, routes, endpoint configurations and child backends that exist: any id of the right prefix (the default), or only those declared through `gateway.declare`.
        "references": "Literal['any', 'declared']",
        # How to treat traffic policy actions of an unknown type. Default: `refuse`.
        "unknownActions": "Literal['refuse', 'accept']",
        # Return 200 and `{}` instead of 204, for clients that cannot read an empty response. Default: false.
        "emptyJsonOnDelete": "bool",
        # The `msg` of errors. With `varied`, it says nothing useful and differs each time, so code that matches it fails. The report has the usual text. Default: `usual`.
        "errorText": "Literal['usual', 'varied']",
        # Behavior of the real service that differs from its API reference.
        "quirks": "Quirks",
        # Return 429 for too many HTTP requests. `true` allows 120 requests in 60 seconds. Default: false.
        "rateLimit": "Any",
        # The account that owns the gateway's resources: a plan, and limits by name. A call that exceeds a limit fails. Default: no limits.
        "account": "Any",
        # The number of addresses in each region, 1 to 2,000,000. Default: 2,000,000.
        "addressesPerRegion": "int",
        # Domain names that another account has reserved. Reserving one of them fails, and so does a name below one or a wildcard that covers one. Default: none.
        "takenDomains": "list[str]",
        # The DNS that provisioning attempts check: with `simulated`, the zone of `gateway.dns`; with `off`, nothing. Default: `off`.
        "dns": "Literal['off', 'simulated']",
        # The time from the start of a provisioning job to its first attempt; with 0, the creating call issues the certificate. Default: 30s.
        "provisioningDelay": "Duration",
        # The validity of automatic certificates, and how long before their expiry they are renewed. Default: Let's Encrypt's, by the time of the gateway's clock: 90d, then 64d from 2027-02-10 and 45d from 2028-02-16.
        "certificates": "Any",
        # How long a job waits after its first INTERNAL_ERROR. The wait doubles after each error, up to `most`. Default: 1m and 64m.
        "internalErrorBackoff": "ErrorBackoff",
        # How long a job waits after a DNS_ERROR. Default: 1h.
        "dnsErrorRetry": "Duration",
        # The keys of the authority. `test`: the published test keys. `fresh`: new secret keys, which a store keeps. `{ secret }`: keys that are derived from your secret, the same in every gateway with it. RSA certificates always have the published test key. Never put the authority in a trust store. Default: `test`.
        "authorityKeys": "Any",
    },
    total=False,
)

ScriptOptions = TypedDict(
    "ScriptOptions",
    {
        # The id of a domain, or its name, even before it is reserved. Default: any domain.
        "domain": "str",
        # How often to repeat the outcomes. Default: `1`.
        "times": "int",
        # True puts these outcomes before the pending outcomes for the same domain. Default: after.
        "first": "bool",
        # The outcome of all attempts after the scripted ones for the same domain. It takes precedence over outcomes for any domain.
        "always": "Literal['success', 'INTERNAL_ERROR', 'DNS_ERROR'] | str | FailedAttempt",
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
        # The body, as a text.
        "body": "str",
        # The visitor.
        "from": "Visitor",
        # The edge that takes the request. The standard dialect needs it.
        "edge": "str",
        # The route of the edge.
        "route": "str",
        # The backend that gets the request. Default: that of the route.
        "backend": "str",
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
        # The body, as a text.
        "body": "str",
        # The visitor.
        "from": "Visitor",
        # The edge that takes the request. The standard dialect needs it.
        "edge": "str",
        # The route of the edge.
        "route": "str",
        # The backend that gets the request. Default: that of the route.
        "backend": "str",
    },
    total=False,
)

TunnelSessionDeclaration = TypedDict(
    "TunnelSessionDeclaration",
    {
        # The version of the agent. Default: `3.39.0`.
        "agent_version": "str",
        # The credential or SSH credential of the agent. Default: a new one.
        "credential": "str",
        # The address that the agent connects from. Default: `203.0.113.10`.
        "ip": "str",
        # Any data that programs keep with the resource. The service does not read it. At most 4096 bytes in UTF-8.
        "metadata": "str",
        # The operating system of the agent. Default: `linux`.
        "os": "str",
        # The region that the agent is connected to. Default: `us`.
        "region": "str",
        # The time at which the session started. Default: now.
        "started_at": "str",
        # The protocol between agent and service; `ssh` without an agent. Default: `ngrok/2`.
        "transport": "str",
        # The commands that the agent obeys. Default: all.
        "supports": "list[Literal['restart', 'stop', 'update']]",
        # The commands that the agent fails to obey, each with the reason.
        "failing": "CommandFailures",
        # The version that the agent can be updated to. Default: none.
        "update": "str",
        # False if no command reaches the agent. Default: `true`.
        "reachable": "bool",
        # The endpoints that the agent has online.
        "endpoints": "list[AgentEndpoint]",
        # The tunnels with labels that the agent has open.
        "labelled": "list[LabelledTunnel]",
        # False if the limits of the account do not apply to what is declared. Default: `true`.
        "limits": "bool",
    },
    total=False,
)

ListedFault = TypedDict(
    "ListedFault",
    {
        # The id of the fault, which `remove` takes and the journal names.
        "id": "str",
        # The operation's name, such as `reserved_domains.create`.
        "operation": "str",
        # The method of the request. With `operation`, the method must be one of that operation. One of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`.
        "method": "str",
        # The path below the base URL, such as `/reserved_domains`.
        "path": "str",
        # An id in the path of the request, such as `rd_…`.
        "resource": "str",
        # The URL or the id of an upstream, as `gateway.traffic.upstream` takes it. The fault applies to what the gateway forwards to it, not to API requests.
        "traffic": "str",
        # The path of a request to the agent's API, such as `/api/tunnels`. The fault does not apply to the REST API.
        "agent": "str",
        # The number of matching requests that this fault applies to. Default: all, until you remove it.
        "times": "int",
        # The number of matching requests that pass before the fault begins.
        "after": "int",
        # With `before` the operation does not run. With `after` the change is made, and the client still sees an error. Default: `before`.
        "phase": "Literal['before', 'after']",
        # The HTTP status of the error, by default that of `error`, or 503.
        "status": "int",
        # An error, by its key or its `error_code`, such as `ERR_NGROK_413`.
        "error": "str",
        # The `msg` of the error.
        "message": "str",
        # The `Retry-After` header, rounded up to seconds. An `error` of status 429 has 60 s by default.
        "retryAfter": "int | str",
        # The delay of the response, on the gateway's clock. From a range such as `1s..3s`, the seed picks one for each request. Without other fields, the response is otherwise the usual one.
        "latency": "int | str",
        # True breaks the connection: `fetch` rejects, and a server resets the socket.
        "drop": "bool",
        # The number of characters after which the usual response is cut; with `traffic`, of bytes.
        "truncate": "int",
        # The end of a response that `truncate` cuts. With `break` the connection breaks there. With `stall` nothing more comes until the client gives up. Both keep the Content-Length of the whole response. Default: `complete`.
        "ending": "Literal['complete', 'break', 'stall']",
        # The body of the response: a text, such as an HTML page, is sent unchanged; an object is sent as JSON.
        "body": "str | dict[str, Any]",
        # The number of requests that it has applied to.
        "hits": "int",
        # The number of matching requests that passed before it began.
        "passed": "int",
        # `pending` if it waits for a request, `active` if it applies to requests until you remove it, or `used up`.
        "state": "Literal['pending', 'active', 'used up']",
        # The requests among the last 5 that it did not apply to, oldest first. Absent if the fault is not pending.
        "missed": "list[MissedRequest]",
    },
    total=False,
)

Declaration = TypedDict(
    "Declaration",
    {
        # An edge: HTTPS, TCP or TLS.
        "edge": "str",
        # Routes to add to the edge, which must be an HTTPS edge.
        "routes": "list[str]",
        # An endpoint configuration.
        "endpoint_configuration": "str",
        # A backend that can be a child of a weighted one.
        "backend": "str",
        # Declares the endpoint of an edge, which no operation makes. `gateway.declare.end(id)` removes it.
        "edge_endpoint": "EdgeEndpointDeclaration",
        # Declares the dev domain of the account, which no operation makes or deletes. `gateway.declare.end(id)` removes it.
        "dev_domain": "DevDomainDeclaration",
        # Declares a credential that no operation makes.
        "credential": "CredentialDeclaration",
        # Declares the session of an agent, with its endpoints and tunnels.
        "tunnel_session": "TunnelSessionDeclaration",
        # Declares the filter and the fields of a source, which only the dashboard of the service sets.
        "event_source": "EventSourceDeclaration",
        # Declares a person who signed in at an endpoint now.
        "application_user": "ApplicationUserDeclaration",
        # Declares the session of a person, which begins now.
        "application_session": "ApplicationSessionDeclaration",
    },
    total=False,
)

Outcome = str | FailedAttempt
RequestFilter = TypedDict("RequestFilter", {"operationId": "str", "operation": "str | None", "method": "str", "path": "str", "query": "str", "at": "str", "requestHeaders": "dict[str, str]", "request": "Any", "status": "float", "responseHeaders": "dict[str, str]", "response": "Any", "commit": "dict[str, Any]", "cancelled": "Any", "fault": "str | None", "problem": "str"}, total=False)
