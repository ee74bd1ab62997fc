//! Calls ngrok's official Rust client as the lines of its input say: see scripts/clients/drivers.mjs.
use futures::StreamExt;
use ngrok_api::{types, Client, ClientBuilder, Error};
use serde::{de::DeserializeOwned, Serialize};
use serde_json::{json, Map, Value};
use std::io::BufRead;

/// Reads a body. What is not sent has the value that the client gives it.
fn read<T: Default + Serialize + DeserializeOwned>(asked: &Value) -> T {
    let mut whole = serde_json::to_value(T::default()).unwrap();
    let fields = whole.as_object_mut().unwrap();
    for name in ["id", "limit"] {
        if let (Some(value), true) = (asked.get(name), fields.contains_key(name)) {
            fields.insert(name.into(), value.clone());
        }
    }
    for (name, value) in asked["body"].as_object().unwrap_or(&Map::new()) {
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
    ($client:expr, $asked:expr) => {{
        let mut pages = $client.list(read($asked)).pages().await;
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
    ($client:expr, $asked:expr) => {{
        let (client, asked) = ($client, $asked);
        let id = asked["id"].as_str().unwrap_or_default();
        match asked["call"].as_str().unwrap() {
            "create" => answer(client.create(&read(asked)).await),
            "get" => answer(client.get(id).await),
            "list" => listed!(client, asked),
            "update" => answer(client.update(&read(asked)).await),
            "delete" => answer(client.delete(id).await),
            _ => json!({ "unknown": true }),
        }
    }};
}

macro_rules! module {
    ($client:expr, $asked:expr) => {{
        let (client, asked) = ($client, $asked);
        match asked["call"].as_str().unwrap() {
            "replace" => answer(client.replace(&read(asked)).await),
            "get" => answer(client.get(&read(asked)).await),
            "delete" => answer(client.delete(&read(asked)).await),
            _ => json!({ "unknown": true }),
        }
    }};
}

async fn answer_to(c: &Client, asked: &Value) -> Value {
    let id = asked["id"].as_str().unwrap_or_default();
    match asked["family"].as_str().unwrap() {
        "api_keys" => resource!(c.api_keys(), asked),
        "backends.weighted" => resource!(c.backends().weighted(), asked),
        "bot_users" => resource!(c.bot_users(), asked),
        "credentials" => resource!(c.credentials(), asked),
        "ip_policies" => resource!(c.ip_policies(), asked),
        "ip_policy_rules" => resource!(c.ip_policy_rules(), asked),
        "reserved_addrs" => resource!(c.reserved_addrs(), asked),
        "reserved_domains" => resource!(c.reserved_domains(), asked),
        "secrets" => resource!(c.secrets(), asked),
        "service_users" => resource!(c.service_users(), asked),
        "ssh_credentials" => resource!(c.ssh_credentials(), asked),
        "tls_certificates" => resource!(c.tls_certificates(), asked),
        "vaults" => resource!(c.vaults(), asked),
        "edge_modules.https_edge_route_circuit_breaker" => {
            module!(c.edge_modules().https_edge_route_circuit_breaker(), asked)
        }
        "edge_modules.https_edge_route_compression" => module!(c.edge_modules().https_edge_route_compression(), asked),
        "edge_modules.https_edge_route_traffic_policy" => {
            module!(c.edge_modules().https_edge_route_traffic_policy(), asked)
        }
        "edge_modules.https_edge_route_webhook_verification" => {
            module!(c.edge_modules().https_edge_route_webhook_verification(), asked)
        }
        "tunnels" => match asked["call"].as_str().unwrap() {
            "get" => answer(c.tunnels().get(id).await),
            _ => listed!(c.tunnels(), asked),
        },
        "tunnel_sessions" => match asked["call"].as_str().unwrap() {
            "get" => answer(c.tunnel_sessions().get(id).await),
            "restart" => answer(c.tunnel_sessions().restart(id).await),
            "stop" => answer(c.tunnel_sessions().stop(id).await),
            "update" => answer(c.tunnel_sessions().update(id).await),
            _ => listed!(c.tunnel_sessions(), asked),
        },
        // Its Endpoint demands fields that the service does not send.
        _ => json!({ "unknown": true }),
    }
}

#[tokio::main]
async fn main() {
    let _ = types::Paging::default();
    for line in std::io::stdin().lock().lines() {
        let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let mut builder = ClientBuilder::new(asked["key"].as_str().unwrap().into());
        builder.api_url(asked["url"].as_str().unwrap().parse().unwrap());
        println!("{}", answer_to(&builder.build(), &asked).await);
    }
}
