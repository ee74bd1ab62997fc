//! Calls ngrok's official Rust client as the lines of its input describe: see tools/clients/drivers.mjs, which also writes
//! methods.rs: Rust has no reflection.
mod methods;

use futures::{Stream, StreamExt};
use ngrok_api::{ClientBuilder, Error};
use serde::{de::DeserializeOwned, Serialize};
use serde_json::{json, Map, Value};
use std::io::BufRead;

/// Reads the argument of a method, which has a kind.
fn read<T: DeserializeOwned>(request: &Value, kind: &str) -> T {
    let mut sent = request["body"].as_object().cloned().unwrap_or_default();
    if request["call"] == "create" {
        // In answers, the client demands these fields, which the service leaves out without a value.
        for name in ["description", "metadata"] {
            sent.entry(name).or_insert("sent by a client".into());
        }
    }
    if let Some(id) = request.get("id") {
        sent.insert("id".into(), id.clone());
    }
    serde_json::from_value(complete(&sent.into(), kind)).unwrap()
}

/// Reads the argument of a list: the size of its pages, and the id of the owner of its items.
fn read_paging<T: DeserializeOwned>(request: &Value, kind: &str) -> T {
    let mut whole = methods::default_of(kind);
    whole["limit"] = request["limit"].clone();
    if whole["id"].is_string() {
        whole["id"] = request["id"].clone();
    }
    serde_json::from_value(whole).unwrap()
}

/// Adds to each object the fields that it lacks, with the default values of the client, which demands all fields.
fn complete(sent: &Value, kind: &str) -> Value {
    match sent {
        Value::Array(items) => items.iter().map(|each| complete(each, kind)).collect(),
        Value::Object(fields) => {
            let mut whole = methods::default_of(kind);
            for (name, value) in fields {
                whole[name] = match methods::kind_of(kind, name) {
                    Some(inner) => complete(value, inner),
                    None => value.clone(),
                };
            }
            whole
        }
        _ => sent.clone(),
    }
}

/// Reads the argument of a method that is an id: that of the request, or of an owner in its body.
fn read_id<'a>(request: &'a Value, name: &str) -> &'a str {
    request["body"][name].as_str().or(request["id"].as_str()).unwrap_or_default()
}

fn answer<T: Serialize>(result: Result<T, Error>) -> Value {
    match result {
        Ok(value) => json!({ "answer": value }),
        Err(Error::Ngrok(error)) => json!({ "error": { "code": error.error_code } }),
        Err(error) => json!({ "failure": format!("{error:?}") }),
    }
}

/// Returns the items of all pages.
async fn answer_pages<T: Serialize>(mut pages: impl Stream<Item = Result<T, Error>> + Unpin) -> Value {
    let mut found = vec![];
    while let Some(page) = pages.next().await {
        match page {
            Err(error) => return answer::<()>(Err(error)),
            Ok(page) => {
                let page = serde_json::to_value(page).unwrap();
                let items = page.as_object().unwrap().values().find_map(Value::as_array);
                found.extend(items.unwrap().iter().cloned());
            }
        }
    }
    json!({ "answer": found })
}

async fn handle(request: &Value) -> Value {
    if request["call"] == "methods" {
        let families = methods::METHODS.iter().map(|(family, calls)| (family.to_string(), json!(calls)));
        return json!({ "answer": Map::from_iter(families) });
    }
    let mut builder = ClientBuilder::new(request["key"].as_str().unwrap().into());
    builder.api_url(request["url"].as_str().unwrap().parse().unwrap());
    methods::call(&builder.build(), request).await
}

#[tokio::main]
async fn main() {
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
        println!("{}", handle(&request).await);
    }
}
