// Starts ngrok's official clients, each in a fixed version and unmodified. A driver reads lines of JSON, such as
// `{"family": "credentials", "call": "create", "url": "…", "key": "…", "body": {…}}`, makes the call with the client of its
// language, and writes `{"answer": …}`, with everything that the client shows of it, `{"error": {"status", "code"}}`,
// `{"failure": …}` if no answer came, or `{"unknown": true}` if the client has no such call. What to call is in
// scripts/clients.mjs and scripts/endurance.mjs.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** The folder of the installed packages. They stay there, so that a second run starts at once. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fauxgate-clients')

/** All versions with the number of families that each calls; a run of one of each language takes the first. */
export const VERSIONS = {
  typescript: { '0.11.0': 27 },
  python: { '0.19.0': 33, '0.14.0': 30, '0.10.0': 24 },
  go: { '9.0.0': 34, '7.6.0': 33, '5.0.0': 24, '4.0.0': 0 },
  java: { '0.8.0': 24 },
  rust: { '0.12.1': 19 },
}

class NotHere extends Error {}

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (error?.code === 'ENOENT') throw new NotHere(`${command} is not here`)
  if (status === 0) return stdout
  const text = `${stdout}${stderr}`
  const reason =
    /[^:\n"]*(?:not available|could not resolve|temporary failure|connection refused|no matching distribution)/i.exec(
      text,
    )
  if (reason) throw new NotHere(`its package is not to be had: ${reason[0].trim()}`)
  throw new Error(`${command} ${args.join(' ')} failed.\n${text}`)
}

/** Installs the packages of a language's client in a folder, and returns the command that starts its driver. */
const LANGUAGES = {
  typescript: () => [process.execPath, [here('client.mjs')]],

  python(version, folder) {
    run('python3', ['--version'])
    if (!existsSync(join(folder, 'ngrok'))) {
      run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `ngrok-api==${version}`])
    }
    return [
      'python3',
      [here('client.py')],
      { PYTHONPATH: [folder, process.env.PYTHONPATH].filter(Boolean).join(delimiter) },
    ]
  },

  go(version, folder) {
    const major = `v${version.split('.')[0]}`
    const module = `github.com/ngrok/ngrok-api-go/${major}`
    const go = (...args) => run('go', args, { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod' } })
    writeFileSync(join(folder, 'go.mod'), `module example.com/client\n\ngo 1.23\n\nrequire ${module} v${version}\n`)
    const { Dir } = JSON.parse(go('mod', 'download', '-json', `${module}@v${version}`))
    writeFileSync(join(folder, 'client.go'), readFileSync(here('client.go'), 'utf8').replace('VERSION', major))
    writeFileSync(join(folder, 'families.go'), goFamilies(module, Dir))
    go('build', '-o', 'client', '.')
    return [join(folder, 'client'), []]
  },

  java(version, folder) {
    writeFileSync(join(folder, 'pom.xml'), pomOf(version))
    const path = join(folder, 'classpath')
    const options = ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${path}`, '-DincludeScope=runtime']
    if (!existsSync(path)) run('mvn', options, { cwd: folder })
    run('javac', ['-nowarn', '-cp', readFileSync(path, 'utf8'), '-d', folder, here('Client.java')])
    return ['java', ['-cp', [folder, readFileSync(path, 'utf8')].join(delimiter), 'Client']]
  },

  rust(version, folder) {
    mkdirSync(join(folder, 'src'), { recursive: true })
    writeFileSync(join(folder, 'Cargo.toml'), cargoOf(version))
    cpSync(here('client.rs'), join(folder, 'src/main.rs'))
    run('cargo', ['build', '--quiet'], { cwd: folder })
    return [join(folder, 'target/debug/client'), []]
  },
}

/** Returns a Go file with the client of each family that a version has: packages with a method List or Replace. */
function goFamilies(module, folder) {
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

const pomOf = (version) => `<project xmlns="http://maven.apache.org/POM/4.0.0">
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

const cargoOf = (version) => `[package]
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
 * Starts the client of a language in a version, and returns a function that asks it.
 * @throws Error if it cannot be built; returns the reason as a text if its language or its package is not here.
 */
export function startClient(language, version) {
  const folder = join(CACHE, `${language}-${version}`)
  mkdirSync(folder, { recursive: true })
  let started
  try {
    started = LANGUAGES[language](version, folder)
  } catch (error) {
    if (error instanceof NotHere) return error.message
    throw error
  }
  const [command, args, env] = started
  const child = spawn(command, args, {
    env: { ...process.env, NO_PROXY: '*', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async ask(line) {
      child.stdin.write(`${JSON.stringify(line)}\n`)
      const { done, value } = await lines.next()
      if (done) throw new Error(`The client ended at ${JSON.stringify(line)}.`)
      return JSON.parse(value)
    },
    end: () => child.stdin.end(),
  }
}
