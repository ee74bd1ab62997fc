// Runs the steps of action.yml and the lines of examples/compose/Dockerfile with the packed package: `npm run check -- action`.
// It needs neither GitHub nor Docker, so it does not check their own parts: reading action.yml, and the base image. Needs
// `npm run build`.
import assert from 'node:assert/strict'
import { execSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { load as parse } from 'js-yaml'
import { ownPort } from '../../scripts/own-port.mjs'
import { inFolder, pack, root } from '../../scripts/shared.mjs'

const read = (name) => readFileSync(join(root, name), 'utf8')
const { version } = JSON.parse(read('package.json'))

/** Parses the lines `NAME=text` of a file of GitHub. */
const parseLines = (file) =>
  Object.fromEntries([...readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, ...pair]) => pair))

/** Runs the steps of the action with some inputs. Returns the result, the variables for later steps, and the outputs. */
function runAction(folder, inputs) {
  const action = parse(read('action.yml'))
  assert.equal(action.inputs.package.required, true)
  const files = Object.fromEntries(['GITHUB_ENV', 'GITHUB_OUTPUT'].map((name) => [name, join(folder, name)]))
  for (const file of Object.values(files)) writeFileSync(file, '')
  const fill = (text) =>
    text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_all, name) => inputs[name] ?? action.inputs[name].default)
  let result
  for (const { run, env, shell } of action.runs.steps) {
    assert.equal(shell, 'bash')
    const own = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, fill(text)]))
    result = spawnSync('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', run], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '1', RUNNER_TEMP: folder, ...files, ...own },
    })
  }
  return { ...result, variables: parseLines(files.GITHUB_ENV), outputs: parseLines(files.GITHUB_OUTPUT) }
}

const readControl = async (url, path, headers) => (await fetch(`${url}/_fauxgate${path}`, { headers })).text()

/** Ends the server of the action, as the end of a job does. */
async function endServer(folder) {
  const lines = execSync('ps -A -o pid= -o args=', { encoding: 'utf8' }).split('\n')
  const pids = lines.filter((line) => line.includes(`${folder}/fauxgate-`)).map((line) => Number.parseInt(line, 10))
  for (const pid of pids) process.kill(pid)
  return pids.length
}

async function checkAction(folder, tarball) {
  const inputs = { package: tarball, port: '0' }
  const { status, stdout, stderr, variables, outputs } = runAction(folder, {
    ...inputs,
    args: '--dns simulated --start 2026-01-01T00:00:00Z',
  })
  try {
    assert.equal(status, 0, stdout + stderr)
    assert.equal(outputs.url, variables.FAUXGATE_URL)
    assert.deepEqual(JSON.parse(await readControl(outputs.url, '/clock')), {
      now: '2026-01-01T00:00:00Z',
      ms: Date.parse('2026-01-01T00:00:00Z'),
      manual: true,
    })
    await fetch(`${outputs.url}/reserved_domains`, { headers: { authorization: 'Bearer k', 'ngrok-version': '2' } })
    assert.match(await readControl(outputs.url, '/report'), /GET \/reserved_domains → 200/)
    // The server writes its log a moment after the response.
    const hasLine = () => /GET +\/reserved_domains/.test(readFileSync(outputs.log, 'utf8'))
    for (let tries = 0; tries < 50 && !hasLine(); tries++) await sleep(100)
    assert(hasLine(), readFileSync(outputs.log, 'utf8'))
  } finally {
    assert.equal(await endServer(folder), 1)
  }
  const failed = runAction(folder, { ...inputs, clock: 'sundial' })
  assert.equal(failed.status, 1)
  assert.match(failed.stdout, /::error::fauxgate did not start\n.*"sundial"/)
  assert.deepEqual(failed.variables, {})
  console.log(`ok  action.yml: ${stdout.trim().split('\n').at(-1)}, and a wrong input fails the step`)
}

/** Returns the instructions of a Dockerfile by name. */
const parseInstructions = (text) =>
  Object.fromEntries([...text.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name, rest]) => [name, rest]))

async function checkImage(folder, tarball) {
  const image = parseInstructions(read('examples/compose/Dockerfile'))
  assert.equal(image.ARG, `PACKAGE=fauxgate-${version}.tgz`)
  assert.equal(image.EXPOSE, '4747')
  const home = join(folder, 'home')
  mkdirSync(home)
  const port = await ownPort()
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    npm_config_prefix: home,
    FAUXGATE_PORT: String(port),
    FAUXGATE_CONTROL_KEY: 'the-key',
  }
  execSync(image.RUN.replace(' && npm cache clean --force', '').replace('/tmp/$PACKAGE', tarball), {
    env,
    cwd: home,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [program, ...args] = [...JSON.parse(image.ENTRYPOINT), ...JSON.parse(image.CMD)]
  const container = spawn(program, args, { env, cwd: home, stdio: ['ignore', 'pipe', 'ignore'] })
  const url = `http://127.0.0.1:${port}`
  // In a container there is no other server that the command could find.
  const options = { env: { ...env, FAUXGATE_URL: url }, cwd: home }
  const isHealthy = () => spawnSync('sh', ['-c', image.HEALTHCHECK.replace(/.*? CMD /, '')], options).status === 0
  const exited = once(container, 'exit')
  try {
    for (let tries = 0; tries < 30 && !isHealthy(); tries++) await sleep(100)
    assert(isHealthy())
    assert.match(await readControl(url, '/clock', { 'fauxgate-control-key': 'the-key' }), /"manual":true/)
    assert.match(await readControl(url, '/clock'), /ERR_NGROK_90401/)
  } finally {
    container.kill('SIGTERM')
  }
  assert.deepEqual(await exited, [0, null])
  console.log('ok  Dockerfile: installed, healthy, its controls need the key, stopped by SIGTERM (not built by Docker)')
}

await inFolder(async (folder) => {
  const tarball = pack(folder)
  await checkAction(folder, tarball)
  await checkImage(folder, tarball)
})
