//! Calls ngrok's official Rust client as the lines of its input describe: see scripts/clients/drivers.mjs.
use futures::StreamExt;
use ngrok_api::{types, Client, ClientBuilder, Error};
use serde::{de::DeserializeOwned, Serialize};
use serde_json::{json, Map, Value};
use std::io::BufRead;

/// Reads a body. Fields that are not sent have the default values of the client.
fn read<T: Default + Serialize + DeserializeOwned>(request: &Value) -> T {
    let mut whole = serde_json::to_value(T::default()).unwrap();
    let fields = whole.as_object_mut().unwrap();
    for name in ["id", "limit"] {
        if let (Some(value), true) = (request.get(name), fields.contains_key(name)) {
            fields.insert(name.into(), value.clone());
        }
    }
    for (name, value) in request["body"].as_object().unwrap_or(&Map::new()) {
        fields.insert(name.clone(), value.clone());
    }
    serde_json::from_value(whole).unwrap()
}

fn answer<T: Serialize>(result: Result<T, Error>) -> Value {
    match result {
        Ok(value) => json!({ "answer": value }),
        Err(Error::Ngrok(error)) => json!({ "error": { "code": error.error_code } }),
        Err(error) => json!({ "failure": format!("{error:?}") }),
    }
}

macro_rules! listed {
    ($client:expr, $request:expr) => {{
        let mut pages = $client.list(read($request)).pages().await;
        let mut found = vec![];
        loop {
            match pages.next().await {
                None => break json!({ "answer": found }),
                Some(Err(error)) => break answer::<()>(Err(error)),
                Some(Ok(page)) => {
                    let page = serde_json::to_value(page).unwrap();
                    let items = page.as_object().unwrap().values().find_map(Value::as_array);
                    found.extend(items.unwrap().iter().cloned());
                }
            }
        }
    }};
}

macro_rules! resource {
    ($client:expr, $request:expr) => {{
        let (client, request) = ($client, $request);
        let id = request["id"].as_str().unwrap_or_default();
        match request["call"].as_str().unwrap() {
            "create" => answer(client.create(&read(request)).await),
            "get" => answer(client.get(id).await),
            "list" => listed!(client, request),
            "update" => answer(client.update(&read(request)).await),
            "delete" => answer(client.delete(id).await),
            _ => json!({ "unknown": true }),
        }
    }};
}

macro_rules! module {
    ($client:expr, $request:expr) => {{
        let (client, request) = ($client, $request);
        match request["call"].as_str().unwrap() {
            "replace" => answer(client.replace(&read(request)).await),
            "get" => answer(client.get(&read(request)).await),
            "delete" => answer(client.delete(&read(request)).await),
            _ => json!({ "unknown": true }),
        }
    }};
}

async fn handle(c: &Client, request: &Value) -> Value {
    let id = request["id"].as_str().unwrap_or_default();
    match request["family"].as_str().unwrap() {
        "api_keys" => resource!(c.api_keys(), request),
        "backends.weighted" => resource!(c.backends().weighted(), request),
        "bot_users" => resource!(c.bot_users(), request),
        "credentials" => resource!(c.credentials(), request),
        "ip_policies" => resource!(c.ip_policies(), request),
        "ip_policy_rules" => resource!(c.ip_policy_rules(), request),
        "reserved_addrs" => resource!(c.reserved_addrs(), request),
        "reserved_domains" => resource!(c.reserved_domains(), request),
        "secrets" => resource!(c.secrets(), request),
        "service_users" => resource!(c.service_users(), request),
        "ssh_credentials" => resource!(c.ssh_credentials(), request),
        "tls_certificates" => resource!(c.tls_certificates(), request),
        "vaults" => resource!(c.vaults(), request),
        "edge_modules.https_edge_route_circuit_breaker" => {
            module!(c.edge_modules().https_edge_route_circuit_breaker(), request)
        }
        "edge_modules.https_edge_route_compression" => module!(c.edge_modules().https_edge_route_compression(), request),
        "edge_modules.https_edge_route_traffic_policy" => {
            module!(c.edge_modules().https_edge_route_traffic_policy(), request)
        }
        "edge_modules.https_edge_route_webhook_verification" => {
            module!(c.edge_modules().https_edge_route_webhook_verification(), request)
        }
        "tunnels" => match request["call"].as_str().unwrap() {
            "get" => answer(c.tunnels().get(id).await),
            _ => listed!(c.tunnels(), request),
        },
        "tunnel_sessions" => match request["call"].as_str().unwrap() {
            "get" => answer(c.tunnel_sessions().get(id).await),
            "restart" => answer(c.tunnel_sessions().restart(id).await),
            "stop" => answer(c.tunnel_sessions().stop(id).await),
            "update" => answer(c.tunnel_sessions().update(id).await),
            _ => listed!(c.tunnel_sessions(), request),
        },
        // Its Endpoint demands fields that the service does not send.
        _ => json!({ "unknown": true }),
    }
}

#[tokio::main]
async fn main() {
    let _ = types::Paging::default();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let mut builder = ClientBuilder::new(request["key"].as_str().unwrap().into());
        builder.api_url(request["url"].as_str().unwrap().parse().unwrap());
        println!("{}", handle(&builder.build(), &request).await);
    }
}
