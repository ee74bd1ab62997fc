// Runs public programs that use ngrok's agent, unmodified, against the agent's API of a served gateway. They start a program
// `ngrok`, which is examples/agent/ngrok.sh. Scripts and a Go program do what others of their kind do. All 14 operations
// must be called. `node tools/agent-programs.mjs [name…]`. Needs a build. A program whose language or package is missing is left
// out, with a warning.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createNgrok } from '../dist/ngrok.js'
import { serve } from '../dist/node.js'
import { ownPort } from '../scripts/own-port.mjs'
import { CACHE, MissingError, run } from './clients/drivers.mjs'

const toPath = (name) => fileURLToPath(new URL(name, import.meta.url))
const NGROK = readFileSync(toPath('../examples/agent/ngrok.sh'), 'utf8')

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>programs</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.github.alexdlaird</groupId>
      <artifactId>java-ngrok</artifactId>
      <version>2.5.1</version>
    </dependency>
  </dependencies>
</project>
`

/** Installs a package of PyPI in a folder, and returns the variables with which Python finds it. */
function installPython(folder, name) {
  run('python3', ['--version'])
  if (!existsSync(join(folder, 'bin'))) run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, name])
  return { PYTHONPATH: folder }
}

/** Installs a package of npm in a folder, without its script: that one downloads the real ngrok. */
function installNode(folder, name) {
  const options = ['--silent', '--no-fund', '--no-audit', '--ignore-scripts', '--prefix', folder]
  if (!existsSync(join(folder, 'node_modules/ngrok'))) run('npm', ['install', ...options, name])
  return [process.execPath, [toPath('agent-programs/agent.cjs')], { PACKAGE: join(folder, 'node_modules/ngrok') }]
}

/** The programs that make their calls and end: each installs its package in a folder, and returns its command. */
const CALLERS = {
  'pyngrok==9.1.0': (folder, name) => ['python3', [toPath('agent-programs/agent.py')], installPython(folder, name)],

  'java-ngrok@2.5.1'(folder) {
    writeFileSync(join(folder, 'pom.xml'), POM)
    const path = join(folder, 'classpath')
    const options = ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${path}`, '-DincludeScope=runtime']
    if (!existsSync(path)) run('mvn', options, { cwd: folder })
    const classpath = readFileSync(path, 'utf8')
    run('javac', ['-nowarn', '-cp', classpath, '-d', folder, toPath('agent-programs/JavaNgrok.java')])
    return ['java', ['-cp', [folder, classpath].join(delimiter), 'JavaNgrok']]
  },

  'ngrok@5.0.0-beta.2': installNode,
  'ngrok@4.3.3': installNode,

  shell() {
    run('jq', ['--version'])
    run('curl', ['--version'])
    return ['sh', [toPath('agent-programs/agent.sh')]]
  },

  go(folder) {
    copyFileSync(toPath('agent-programs/agent.go'), join(folder, 'main.go'))
    run('go', ['build', '-o', 'agent', 'main.go'], { cwd: folder })
    return [join(folder, 'agent'), []]
  },
}

/** The programs that serve something and start ngrok for it. `path` is what a visitor asks for, and `text` is in the response. */
const LAUNCHERS = {
  async 'hookee==3.0.0'(folder, name) {
    const env = installPython(folder, name)
    const port = String(await ownPort())
    return {
      start: ['python3', [join(folder, 'bin/hookee'), '--port', port, '--response', 'pong']],
      env,
      path: '/webhook',
      text: 'pong',
    }
  },

  'serve-git==0.1.0'(folder, name, work) {
    const env = installPython(folder, name)
    run('git', ['init', '--quiet', join(work, 'project')])
    return {
      start: ['python3', [join(folder, 'bin/serve-git'), 'project']],
      stop: ['python3', [join(folder, 'bin/stop-serve-git')]],
      env,
      path: '/project.git/info/refs?service=git-upload-pack',
      text: 'service=git-upload-pack',
    }
  },
}

/** The 14 operations of ngrok's documentation, and `GET /api`. */
const OPERATIONS = 15

/** The operations that were called, such as `GET /api/tunnels/*`. */
const operations = new Set()

/** Counts the requests to the agent. The path of a name or an id is that of all of them. */
function watchAgent(gateway) {
  const { fetch } = gateway.agent
  const counter = { requests: 0 }
  gateway.agent.fetch = (url, init) => {
    counter.requests++
    const path = new URL(url).pathname.replace(/^(\/api\/(?:tunnels|endpoints|requests\/http))\/.+/, '$1/*')
    operations.add(`${init.method} ${path}`)
    return fetch(url, init)
  }
  return counter
}

/** A gateway that is served, and a folder for what a program writes. */
class Desk {
  work = mkdtempSync(join(tmpdir(), 'fauxgate-programs-'))
  gateway = createNgrok({ provisioningDelay: 0, initial: { reservedDomains: [{ domain: 'closed.example.com' }] } })

  async open() {
    const { gateway, work } = this
    this.counter = watchAgent(gateway)
    gateway.traffic.upstream('http://localhost:8000', () => new Response('hello'))
    this.server = await serve(gateway, { agent: 0 })
    const program = join(work, 'ngrok')
    writeFileSync(program, NGROK, { mode: 0o755 })
    this.env = {
      ...process.env,
      HOME: work,
      PATH: [work, process.env.PATH].join(delimiter),
      NGROK: program,
      PYNGROK_NGROK_PATH: program,
      FAUXGATE_AGENT: new URL(this.server.agentUrl).host,
      FAUXGATE_URL: this.server.url,
      NO_PROXY: '*',
      no_proxy: '*',
    }
  }

  start([command, args], env) {
    const child = spawn(command, args, { cwd: this.work, env: { ...this.env, ...env } })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += part
      })
    const ended = once(child, 'exit').then(([code]) => ({ code, output }))
    return { child, ended }
  }

  async run(command, env) {
    const { code, output } = await this.start(command, env).ended
    assert.equal(code, 0, output)
  }

  async close() {
    await this.server?.close()
    rmSync(this.work, { recursive: true, force: true })
  }
}

async function checkCaller(desk, [command, args, env]) {
  await desk.run([command, args], env)
  assert.deepEqual(desk.gateway.endpoints.list().endpoints, [], 'tunnels that were not stopped')
}

/** Starts a launcher, and visits what it serves by its public URL. */
async function checkLauncher(desk, { start, stop, env, path, text }) {
  const { gateway } = desk
  // Its code has the usual port of the agent.
  const proxied = { ...env, NO_PROXY: '', no_proxy: '', http_proxy: desk.server.agentUrl }
  const { child, ended } = desk.start(start, proxied)
  try {
    while (gateway.endpoints.list().endpoints.length === 0) {
      const early = await Promise.race([ended, sleep(50)])
      assert(!early || early.code === 0, early?.output)
    }
    const [{ url, upstream_url }] = gateway.endpoints.list().endpoints
    gateway.traffic.upstream(upstream_url, ({ url: visited, method }) => {
      const { pathname, search } = new URL(visited)
      return fetch(new URL(pathname + search, upstream_url), { method })
    })
    const response = await gateway.traffic.fetch(url + path)
    assert.match(await response.text(), new RegExp(text))
  } finally {
    if (stop) await desk.run(stop, proxied)
    else child.kill('SIGINT')
  }
  const { code, output } = await ended
  assert.equal(code, 0, output)
}

const requested = process.argv.slice(2)
let leftOut = false

async function check(name, prepare, work) {
  if (requested.length > 0 && !requested.some((each) => name.startsWith(each))) return
  const folder = join(CACHE, `agent-${name.replace(/\W+/g, '-')}`)
  mkdirSync(folder, { recursive: true })
  const desk = new Desk()
  try {
    const prepared = await prepare(folder, name, desk.work)
    await desk.open()
    await work(desk, prepared)
    console.log(`${name}: ${desk.counter.requests} requests`)
  } catch (error) {
    if (!(error instanceof MissingError)) {
      process.exitCode = 1
      return console.error(`${name} FAILED:`, error)
    }
    leftOut = true
    console.warn(`!!! ${name} was left out: ${error.message} !!!`)
  } finally {
    await desk.close()
  }
}

for (const [name, prepare] of Object.entries(CALLERS)) await check(name, prepare, checkCaller)
for (const [name, prepare] of Object.entries(LAUNCHERS)) await check(name, prepare, checkLauncher)
console.log(`${operations.size} operations of the agent were called`)
if (requested.length === 0 && !leftOut) assert.equal(operations.size, OPERATIONS, [...operations].join(', '))
