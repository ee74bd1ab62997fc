// Checks the Go module languages/go as its users have it: `npm run check -- go`. It makes an empty Go module, whose tests find
// the built package in node_modules, by npx, by FAUXGATE_URL, or not at all. However the tests end, no server may be left.
// Without Go, it skips this and says so. Needs `npm run build`.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inFolder, root, succeeds } from '../../scripts/shared.mjs'

const MODULE = join(root, 'languages/go')
const SOURCES = join(MODULE, 'fauxgatetest')
/** Without the generated types. */
const MOST_LINES_OF_CODE = 700

/** The whole test of a user. */
const ONE_LINE = `package app

import (
	"testing"

	"github.com/fauxgate/fauxgate/languages/go/fauxgatetest"
)

func TestOneLine(t *testing.T) {
	gateway := fauxgatetest.New(t)
	gateway.AdvanceToNext()
}
`

/** Tests at the same time, which would see each other's clock and snapshots if they did not have their own gateways. */
const SHARED = `package app

import (
	"testing"
	"time"

	"github.com/fauxgate/fauxgate/languages/go/fauxgatetest"
)

func TestParallel(t *testing.T) {
	for range 16 {
		t.Run("parallel", func(t *testing.T) {
			t.Parallel()
			gateway := fauxgatetest.New(t)
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			if at := gateway.Advance(time.Hour); at.Sub(start) != time.Hour {
				t.Fatal(at)
			}
			gateway.Control("POST", "/snapshots", fauxgatetest.Object{"name": "mine"})
		})
	}
}

func TestSecond(t *testing.T) {
	fauxgatetest.New(t)
	fauxgatetest.New(t)
}
`

/** A file with a mistake, which the compiler must find. */
const mistaken = (statement) => `package app

import "github.com/fauxgate/fauxgate/languages/go/fauxgatetest"

func use(gateway *fauxgatetest.Gateway) { ${statement} }
`

/** Statements with a mistake, each with the compiler's words. */
const MISTAKES = [
  ['gateway.Fault(fauxgatetest.Fault{Opration: "reserved_domains.create"})', /unknown field Opration/],
  ['_ = fauxgatetest.SurvivalSettings{Fualts: 2}', /unknown field Fualts/],
  ['_ = fauxgatetest.Options{Plan: fauxgatetest.PlanFre}', /undefined: fauxgatetest.PlanFre/],
  ['gateway.Script(fauxgatetest.OutcomeDNSEror)', /undefined: fauxgatetest.OutcomeDNSEror/],
  ['gateway.Script("DNS_EROR")', /does not implement fauxgatetest.Outcome/],
  ['gateway.ScriptFor("app.example.com", "DNS_EROR")', /does not implement fauxgatetest.Outcome/],
  ['gateway.Script(fauxgatetest.FailedAttempt{Outcome: "DNS_EROR"})', /does not implement fauxgatetest.Outcome/],
  ['_ = gateway.DNS()[0].Valeu', /DNSRecord has no field or method Valeu/],
  ['_ = gateway.SentEvents("")[0].Objekt', /SentEvent has no field or method Objekt/],
  ['_ = gateway.Declare(fauxgatetest.Declaration{}).TunelSession', /Declared has no field or method TunelSession/],
  ['_ = gateway.Attempt("app.example.com").Certifcate', /ReservedDomain has no field or method Certifcate/],
  ['_ = gateway.Requests()[0].Opration', /Request has no field or method Opration/],
  ['_ = gateway.Faults()[0].Hist', /ListedFault has no field or method Hist/],
  ['_ = gateway.WaitForRequest().Untill', /WaitingRequest has no field or method Untill/],
  ['_ = gateway.Visit(fauxgatetest.Visit{}).Boddy', /TrafficOutcome has no field or method Boddy/],
]

/** Tests that end in each way, by name. Each prints the URL of its server. */
const ENDS = `package app

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fauxgate/fauxgate/languages/go/fauxgatetest"
)

func start(t *testing.T) {
	fmt.Println("server", fauxgatetest.New(t).URL)
	fmt.Println("server", fauxgatetest.New(t, fauxgatetest.Options{Plan: "free"}).URL)
}

func TestPass(t *testing.T)  { start(t) }
func TestFail(t *testing.T)  { start(t); t.Fatal("on purpose") }
func TestPanic(t *testing.T) { start(t); panic("on purpose") }
func TestExit(t *testing.T)  { start(t); os.Exit(3) }
func TestWait(t *testing.T)  { start(t); fmt.Println("waiting"); time.Sleep(time.Minute) }

func TestPanicElsewhere(t *testing.T) {
	start(t)
	go panic("on purpose")
	time.Sleep(time.Minute)
}
`

const GO_MOD = `module example.com/app

go 1.22

require github.com/fauxgate/fauxgate/languages/go v0.0.0

replace github.com/fauxgate/fauxgate/languages/go => ${MODULE}
`

/** The environment without the settings of this machine. */
const { FAUXGATE: _command, FAUXGATE_URL: _url, NODE_OPTIONS: _options, ...environment } = process.env

const go = (cwd, args, env = {}) =>
  spawnSync('go', args, { cwd, encoding: 'utf8', env: { ...environment, GOFLAGS: '-mod=mod', ...env } })

function requireSuccess({ status, stdout, stderr }) {
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

function checkSources() {
  const names = readdirSync(SOURCES).filter((name) => !name.endsWith('_test.go') && name !== 'types.go')
  const text = names.map((name) => readFileSync(join(SOURCES, name), 'utf8')).join('')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(/^const Version = "(.*)"$/m.exec(text)?.[1], version)
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length
  assert(lines <= MOST_LINES_OF_CODE, `languages/go has ${lines} lines of code, more than ${MOST_LINES_OF_CODE}`)
  const imports = requireSuccess(
    go(MODULE, ['list', '-deps', '-f', '{{if not .Standard}}{{.ImportPath}}{{end}}', './...']),
  )
  assert.equal(imports.trim(), 'github.com/fauxgate/fauxgate/languages/go/fauxgatetest')
  assert.equal(requireSuccess(spawnSync('gofmt', ['-l', MODULE, join(root, 'examples/go')], { encoding: 'utf8' })), '')
  requireSuccess(go(MODULE, ['vet', './...']))
  return `${lines} lines of code, only the standard library`
}

/** Runs the tests of the module itself, and returns how many passed. */
function checkModule() {
  const env = { FAUXGATE: `${process.execPath} ${join(root, 'dist/cli.js')}` }
  const output = requireSuccess(go(MODULE, ['test', '-count=1', '-v', './...'], env))
  const runOne = (name, more) => {
    const output = requireSuccess(go(MODULE, ['test', '-count=1', '-v', '-run', name, './...'], { ...env, ...more }))
    assert.match(output, /^--- PASS/m)
  }
  runOne('Trusts', { FAUXGATE_TLS: 'true' })
  runOne('ClockOfTheEnvironment', { FAUXGATE_CLOCK: 'system' })
  const passed = output.match(/^--- PASS/gm).length
  return `${passed} tests of the module passed`
}

/** Makes an empty module with one test file. */
function createModule(folder, name, test) {
  const module = join(folder, name)
  mkdirSync(module)
  writeFileSync(join(module, 'go.mod'), GO_MOD)
  writeFileSync(join(module, 'app_test.go'), test)
  return module
}

/** Makes the package an installed one of a folder. */
function installIn(folder) {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/fauxgate'), 'junction')
  symlinkSync('../fauxgate/dist/cli.js', join(folder, 'node_modules/.bin/fauxgate'))
}

/** Returns a folder for PATH with some programs of this machine. */
function createBin(folder, name, ...programs) {
  const bin = join(folder, name)
  mkdirSync(bin)
  for (const program of programs) {
    const path = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim()
    if (path) symlinkSync(realpathSync(path), join(bin, program))
  }
  return bin
}

const testOneLine = (module, env) => go(module, ['test', '-count=1', './...'], env)

function checkInstalled(folder) {
  const inside = join(folder, 'installed')
  mkdirSync(inside)
  installIn(inside)
  const output = requireSuccess(testOneLine(createModule(inside, 'app', ONE_LINE)))
  assert.match(output, /^ok {2}\texample.com\/app/)
  return 'the one line passed in an empty module, with node_modules above it'
}

/** npx finds the package in its working folder, as it would in its cache. */
function checkNpx(folder, module) {
  const installed = join(folder, 'cache')
  mkdirSync(installed)
  installIn(installed)
  const bin = createBin(folder, 'bin-npx')
  const npx = spawnSync('sh', ['-c', 'command -v npx'], { encoding: 'utf8' }).stdout.trim()
  // Without a network, npm would try for more than a minute.
  const isShort = '[ "$npm_config_fetch_retries" = 1 ] || exit 1'
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\n${isShort}\ncd ${installed}\nexec ${npx} "$@"\n`, { mode: 0o755 })
  const env = { PATH: `${bin}:${process.env.PATH}` }
  requireSuccess(testOneLine(module, env))
  return env
}

function checkTypes(folder) {
  const module = createModule(folder, 'types', '')
  for (const [statement, message] of MISTAKES) {
    writeFileSync(join(module, 'app_test.go'), mistaken(statement))
    const { status, stderr } = go(module, ['vet', './...'])
    assert.notEqual(status, 0, statement)
    assert.match(stderr, message)
  }
  return `go vet finds ${MISTAKES.length} misspelt fields, constants and outcomes`
}

function checkMissing(folder, module) {
  const PATH = createBin(folder, 'bin-go', 'go')
  const { status, stdout } = testOneLine(module, { PATH, GOROOT: requireSuccess(go(module, ['env', 'GOROOT'])).trim() })
  assert.equal(status, 1)
  const message = /app_test.go:\d+: (.*)/.exec(stdout)?.[1]
  assert.match(
    message,
    /install Node.js 20.19 or newer, and the npm package fauxgate [\d.]+ in the folder of go.mod/,
    stdout,
  )
  assert.match(testOneLine(module, { FAUXGATE: 'no-such-program' }).stdout, /check the variable FAUXGATE/)
  const older = join(folder, 'older.cjs')
  writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '18.20.4' })")
  const FAUXGATE = `${process.execPath} ${join(root, 'dist/cli.js')}`
  const old = testOneLine(module, { FAUXGATE, NODE_OPTIONS: `--require=${older}` }).stdout
  assert.match(
    old,
    /^fauxgate needs Node 20.19 or newer. This is Node 18.20.4. Install a newer version from nodejs.org.$/m,
  )
  assert.match(old, /fauxgate did not start \(exit status 1, with its message in the output\)/)
  return `without Node: ${message}`
}

/** Most memory of a server that 16 parallel tests share, in MiB. */
const MOST_MEMORY = 160

/** Returns the most memory that a process has used, in MiB; undefined if the system does not tell. */
function peakMemory(pid) {
  const status = `/proc/${pid}/status`
  return existsSync(status) ? Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))[1]) >> 10 : undefined
}

/** Starts a server for FAUXGATE_URL, as a service of CI, with a control key. */
async function checkShared(folder, module) {
  const shared = createModule(folder, 'shared', SHARED)
  const env = { ...environment, FAUXGATE_CONTROL_KEY: 'the-key' }
  const args = [join(root, 'dist/cli.js'), 'serve', '--dialect', 'ngrok', '--clock', 'manual', '--port', '0', '--quiet']
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let memory
  try {
    const [line] = await once(server.stdout, 'data')
    const FAUXGATE_URL = /http\S+/.exec(line)[0]
    requireSuccess(testOneLine(module, { FAUXGATE_URL, FAUXGATE_CONTROL_KEY: 'the-key' }))
    const parallel = go(shared, ['test', '-count=1', '-parallel=16', '-v', '.'], {
      FAUXGATE_URL,
      FAUXGATE_CONTROL_KEY: 'the-key',
    }).stdout
    assert.equal(parallel.match(/--- PASS: Test/g)?.length, 18, parallel)
    memory = peakMemory(server.pid)
    assert(!(memory > MOST_MEMORY), `The server has used ${memory} MiB, more than ${MOST_MEMORY}.`)
    const { stdout } = testOneLine(module, { FAUXGATE_URL })
    assert.match(stdout, /POST \/gateways: .*control API requires a key.*ERR_/)
  } finally {
    server.kill()
  }
  return `FAUXGATE_URL with a control key, and 16 parallel tests on one server, which uses ${memory ?? 'unknown'} MiB`
}

const isServed = (url) =>
  fetch(url).then(
    () => true,
    () => false,
  )

/** Throws if a server still answers after 10 seconds. */
async function requireEnded(urls, how) {
  for (let tries = 0; tries < 100; tries++) {
    const answers = await Promise.all(urls.map(isServed))
    if (!answers.includes(true)) return
    await sleep(100)
  }
  assert.fail(`${how}: a server is left of ${urls}`)
}

const WAYS = [
  ['TestPass', 0],
  ['TestFail', 1],
  ['TestPanic', 2],
  ['TestPanicElsewhere', 2],
  ['TestExit', 3],
  ['TestWait', 2, '-test.timeout=3s'],
  ['TestWait', 'SIGINT'],
  ['TestWait', 'SIGTERM'],
  ['TestWait', 'SIGKILL'],
]

/** Runs one test until its end, or until it waits and gets a signal. Its servers must end too. */
async function checkEnd(program, env, [name, result, ...flags]) {
  const child = spawn(program, [`-test.run=^${name}$`, ...flags], {
    cwd: dirname(program),
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
    if (typeof result === 'string' && output.includes('waiting')) child.kill(result)
  })
  const [code, signal] = await once(child, 'close')
  assert.equal(code ?? signal, result, `${name}: ${output}`)
  const urls = [...output.matchAll(/^server (.*)$/gm)].map(([, url]) => url)
  assert.equal(urls.length, 2, output)
  await requireEnded(urls, `${name} ${result}`)
}

async function checkEnds(folder, env) {
  const module = createModule(folder, 'ends', ENDS)
  requireSuccess(go(module, ['test', '-c', '-o', 'ends.test', '.']))
  for (const way of WAYS)
    await checkEnd(join(module, 'ends.test'), { FAUXGATE: `${process.execPath} ${join(root, 'dist/cli.js')}` }, way)
  const waysOfNpx = WAYS.filter(([, result]) => [0, 'SIGKILL'].includes(result))
  for (const way of waysOfNpx) await checkEnd(join(module, 'ends.test'), env, way)
  return `${WAYS.length + waysOfNpx.length} ways to end, and no server left`
}

if (succeeds('go', 'version')) {
  await inFolder(async (folder) => {
    const say = (text) => console.log(`ok  ${text}`)
    say(checkSources())
    say(checkModule())
    say(checkInstalled(folder))
    const module = createModule(folder, 'app', ONE_LINE)
    const npx = checkNpx(folder, module)
    say('npx')
    say(checkMissing(folder, module))
    say(checkTypes(folder))
    say(await checkShared(folder, module))
    say(await checkEnds(folder, npx))
  })
} else console.error('LEFT OUT  languages/go: Go is missing on this machine')
