// Starts ngrok's official clients, each in a fixed version and unmodified. A driver reads lines of JSON, such as
// `{"family": "credentials", "call": "create", "url": "…", "key": "…", "body": {…}}`, makes the call with the client of
// its language, and writes `{"answer": …}`, with all fields that the client shows, `{"error": {"status", "code"}}`,
// `{"failure": …}` if no response came, or `{"unknown": true}` if the client has no such call. The call `methods` answers with
// the names of all methods, by their families. tools/clients.mjs and tools/endurance.mjs make the calls.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDriver } from '../driver.mjs'

const toPath = (name) => fileURLToPath(new URL(name, import.meta.url))

/** The folder of the installed packages. They stay there, so that a second run starts at once. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fauxgate-clients')

/** The versions, each with the number of methods of its client. `--one` takes the first version of each language. */
export const VERSIONS = {
  typescript: { '0.11.0': 213 },
  python: { '0.19.0': 241, '0.14.0': 225, '0.10.0': 200 },
  go: { '9.0.0': 257, '7.6.0': 242, '5.0.0': 200, '4.0.0': 0 },
  java: { '0.8.0': 200 },
  rust: { '0.12.1': 237 },
}

/** The versions of the operator whose calls are made, each with the version of the Go client that its go.mod requires. */
export const OPERATORS = { '0.22.0': '7.8.0' }

export class MissingError extends Error {}

/**
 * Runs a command, and returns its output.
 * @throws MissingError if the command or a package is missing here.
 */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (error?.code === 'ENOENT') throw new MissingError(`${command} is missing`)
  if (status === 0) return stdout
  const text = `${stdout}${stderr}`
  const reason =
    /[^:\n"]*(?:not available|could not resolve|temporary failure|connection refused|no matching distribution)/i.exec(
      text,
    )
  if (reason) throw new MissingError(`its package is not available: ${reason[0].trim()}`)
  throw new Error(`${command} ${args.join(' ')} failed.\n${text}`)
}

/** Installs the packages of a language's client in a folder, and returns the command that starts its driver. */
const LANGUAGES = {
  typescript: () => [process.execPath, [toPath('client.mjs')]],

  python(version, folder) {
    run('python3', ['--version'])
    if (!existsSync(join(folder, 'ngrok'))) {
      run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `ngrok-api==${version}`])
    }
    return [
      'python3',
      [toPath('client.py')],
      { PYTHONPATH: [folder, process.env.PYTHONPATH].filter(Boolean).join(delimiter) },
    ]
  },

  go(version, folder) {
    const major = `v${version.split('.')[0]}`
    const { go, module, source } = requireGoClient(version, folder)
    writeFileSync(join(folder, 'client.go'), readFileSync(toPath('client.go'), 'utf8').replace('VERSION', major))
    writeFileSync(join(folder, 'families.go'), formatGoFamilies(module, source))
    go('build', '-o', 'client', '.')
    return [join(folder, 'client'), []]
  },

  operator(version, folder) {
    const { go } = requireGoClient(OPERATORS[version], folder)
    cpSync(toPath('operator'), folder, { recursive: true })
    go('build', '-o', 'client', '.')
    return [join(folder, 'client'), []]
  },

  java(version, folder) {
    writeFileSync(join(folder, 'pom.xml'), formatPom(version))
    const path = join(folder, 'classpath')
    const options = ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${path}`, '-DincludeScope=runtime']
    if (!existsSync(path)) run('mvn', options, { cwd: folder })
    run('javac', ['-nowarn', '-cp', readFileSync(path, 'utf8'), '-d', folder, toPath('Client.java')])
    return ['java', ['-cp', [folder, readFileSync(path, 'utf8')].join(delimiter), 'Client']]
  },

  rust(version, folder) {
    mkdirSync(join(folder, 'src'), { recursive: true })
    writeFileSync(join(folder, 'Cargo.toml'), formatCargo(version))
    cpSync(toPath('client.rs'), join(folder, 'src/main.rs'))
    const cargo = (...args) => run('cargo', args, { cwd: folder, maxBuffer: 2 ** 26 })
    const { packages } = JSON.parse(cargo('metadata', '--quiet', '--format-version', '1'))
    const { manifest_path } = packages.find(({ name }) => name === 'ngrok-api')
    const [clients, types] = ['clients', 'types'].map((name) =>
      readFileSync(join(dirname(manifest_path), `src/${name}.rs`), 'utf8'),
    )
    writeFileSync(join(folder, 'src/methods.rs'), formatRustMethods(clients) + formatRustKinds(types))
    cargo('build', '--quiet')
    return [join(folder, 'target/debug/client'), []]
  },
}

/** Downloads a version of the Go client for a program in a folder. Returns where it is, and what runs Go there. */
function requireGoClient(version, folder) {
  const module = `github.com/ngrok/ngrok-api-go/v${version.split('.')[0]}`
  const go = (...args) => run('go', args, { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod' } })
  writeFileSync(join(folder, 'go.mod'), `module example.com/client\n\ngo 1.23\n\nrequire ${module} v${version}\n`)
  const { Dir } = JSON.parse(go('mod', 'download', '-json', `${module}@v${version}`))
  return { go, module, source: Dir }
}

/** Returns a Go file with the client of each family that a version has: packages with a method List or Replace. */
function formatGoFamilies(module, folder) {
  const packages = readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('/client.go') && !file.startsWith('internal'))
    .map((file) => file.slice(0, -'/client.go'.length))
  const imports = packages.map((path, n) => `\tp${n} "${module}/${path}"`)
  const clients = packages.map((path, n) => `\t\t"${path.replaceAll('/', '.')}": p${n}.NewClient(config),`)
  return `package main

import (
\t"${module}"
${imports.join('\n')}
)

func clients(config *ngrok.ClientConfig) map[string]any {
\treturn map[string]any{
${clients.join('\n')}
\t}
}
`
}

/** A module of the Rust client, or a method that sends requests: its name, its parameter, and the type of that. */
const RUST_PARTS =
  /^( *)pub mod (\w+) \{|pub (?:async )?fn (\w+)\(\s*&self,\s*(\w+): (&?)(str|[\w:]+),?\s*\) -> (\w+)/gm

/**
 * Methods of the Rust client that no service can serve. Three demand fields of an endpoint that ngrok's recorded responses lack,
 * and `list` fails before it sends a request: a query cannot have its lists.
 */
const UNUSABLE = ['create', 'get', 'update', 'list'].map((call) => `endpoints.${call}`)

/** Lists the methods of the Rust client from its source, each with its family and the code that calls it. */
function listRustMethods(source) {
  const path = []
  return [...source.matchAll(RUST_PARTS)].flatMap(([, indent, module, call, parameter, reference, type, result]) => {
    if (module) {
      path.splice(indent.length / 4, Infinity, module)
      return []
    }
    const place = `client.${path.map((name) => `${name}()`).join('.')}`
    // Other methods return a list, which sends a request for each of its pages.
    const isRequest = result === 'Result'
    const read = isRequest ? 'read' : 'read_paging'
    const kind = type.split('::').at(-1)
    const input = type === 'str' ? `read_id(request, "${parameter}")` : `${reference}${read}(request, "${kind}")`
    const made = `${place}.${call}(${input})`
    const code = isRequest ? `answer(${made}.await)` : `answer_pages(${made}.pages().await).await`
    return [{ family: path.join('.'), call, code }]
  })
}

/** Returns a Rust file with the names of all methods, and a function that calls one. */
function formatRustMethods(source) {
  const methods = listRustMethods(source).filter(({ family, call }) => !UNUSABLE.includes(`${family}.${call}`))
  const families = [...new Set(methods.map(({ family }) => family))]
  const callsOf = (name) => methods.filter(({ family }) => family === name).map(({ call }) => `"${call}"`)
  const names = families.map((family) => `    ("${family}", &[${callsOf(family).join(', ')}]),`)
  const arms = methods.map(({ family, call, code }) => `        ("${family}", "${call}") => ${code},`)
  return `use crate::{answer, answer_pages, read, read_id, read_paging};
use ngrok_api::{types, Client};
use serde_json::{json, Value};

pub const METHODS: &[(&str, &[&str])] = &[
${names.join('\n')}
];

pub async fn call(client: &Client, request: &Value) -> Value {
    match (request["family"].as_str().unwrap(), request["call"].as_str().unwrap()) {
${arms.join('\n')}
        _ => json!({ "unknown": true }),
    }
}
`
}

/** Returns a part of a Rust file: a function with the default value of each struct, and one with the struct of a field. */
function formatRustKinds(source) {
  const structs = [...source.matchAll(/pub struct (\w+) \{([\s\S]*?)\n\}/g)]
  const kinds = structs.map(([, kind]) => kind)
  const defaults = kinds.map((kind) => `        "${kind}" => json!(types::${kind}::default()),`)
  const fields = structs.flatMap(([, kind, body]) =>
    [...body.matchAll(/pub (?:r#)?(\w+): (?:\w+<)*(\w+)>*,/g)]
      .filter(([, , inner]) => kinds.includes(inner))
      .map(([, field, inner]) => `        ("${kind}", "${field}") => Some("${inner}"),`),
  )
  return `
pub fn default_of(kind: &str) -> Value {
    match kind {
${defaults.join('\n')}
        _ => Value::Null,
    }
}

pub fn kind_of(kind: &str, field: &str) -> Option<&'static str> {
    match (kind, field) {
${fields.join('\n')}
        _ => None,
    }
}
`
}

const formatPom = (version) => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>client</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.ngrok</groupId>
      <artifactId>ngrok-api-java</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`

const formatCargo = (version) => `[package]
name = "client"
version = "0.1.0"
edition = "2021"

[dependencies]
futures = "0.3"
ngrok-api = "=${version}"
serde = "1"
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }

[profile.dev]
debug = false
`

/**
 * Starts the client of a language in a version. Returns functions that send it a call, and that end it. If the language
 * or the package is missing, returns the reason as a text.
 * @throws Error if the client cannot be built.
 */
export function startClient(language, version) {
  const folder = join(CACHE, `${language}-${version}`)
  mkdirSync(folder, { recursive: true })
  let driver
  try {
    driver = LANGUAGES[language](version, folder)
  } catch (error) {
    if (error instanceof MissingError) return error.message
    throw error
  }
  const [command, args, env] = driver
  return startDriver([command, ...args], { ...process.env, NO_PROXY: '*', ...env })
}
