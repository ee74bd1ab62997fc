// Builds the Python package, installs the wheel in an empty environment, runs its tests against this repository's `dist`,
// and uses it like a new user. Needs `npm run build`. Without Python 3.10 or its packages, it is left out.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inFolder, root, run, succeeds } from '../../scripts/shared.mjs'

const source = join(root, 'languages/python')
const PACKAGES = ['flit_core==3.12.0', 'mypy==1.18.2', 'ngrok-api==0.19.0', 'pytest==8.4.2', 'pytest-xdist==3.8.0']

const BUILD = `
import sys
from flit_core import buildapi
print(buildapi.build_wheel(sys.argv[1]), buildapi.build_sdist(sys.argv[1]))`

const LIST = `
import sys, tarfile, zipfile
for path in sys.argv[1:]:
    names = tarfile.open(path).getnames() if path.endswith("gz") else zipfile.ZipFile(path).namelist()
    print(*sorted(names))`

/** Without the generated types. */
const MOST_LINES_OF_CODE = 600

/** Counts the lines of modules that are neither empty nor a comment nor a docstring. */
const COUNT = `
import ast, pathlib, sys
count = 0
for path in map(pathlib.Path, sys.argv[1:]):
    text = path.read_text()
    texts = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    left_out = {line for node in texts for line in range(node.lineno, node.end_lineno + 1)}
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    count += sum(bool(line) and not line.startswith("#") and at not in left_out for at, line in lines)
print(count)`

/** A user's project. The first test also pays for the start of the server. */
const PROJECT = `from datetime import datetime, timezone

import pytest
from fauxgate import Gateway
from fauxgate.plugin import options


@options(start=datetime(2026, 1, 1, tzinfo=timezone.utc))
@pytest.mark.parametrize("number", range(60))
def test_the_clock_starts_again(fauxgate: Gateway, number: int) -> None:
    assert fauxgate.advance("1s") == "2026-01-01T00:00:01Z"
`

// The environment of this script may name another server, and the tests set these variables themselves.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FAUXGATE')))
const checkout = { FAUXGATE: `'${process.execPath}' '${join(root, 'dist/cli.js')}'` }

const check = (name, isOk) => {
  if (!isOk) throw new Error(`The Python package fails: ${name}`)
  console.log(`ok  ${name}`)
}

const read = (name) => readFileSync(join(root, name), 'utf8')

function checkVersion() {
  const { version } = JSON.parse(read('package.json'))
  const [, pythonVersion] = /^version = "(.*)"$/m.exec(read('languages/python/pyproject.toml'))
  check(`its version ${pythonVersion} is that of the npm package, ${version}`, pythonVersion === version)
  check('its license is that of the npm package', read('languages/python/LICENSE') === read('LICENSE'))
}

/** Creates the environment. Returns its Python, or undefined if something is missing here. */
function createEnvironment(folder) {
  const needed = 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'
  if (!succeeds('python3', '-c', needed))
    return console.warn('LEFT OUT: Python 3.10 or newer with venv is missing here.')
  run(folder, 'python3', '-m', 'venv', 'venv')
  const python = join(folder, 'venv/bin/python')
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  if (succeeds(python, ...install, ...PACKAGES)) return python
  return console.warn(`LEFT OUT: a package of PyPI is missing here: ${PACKAGES.join(', ')}.`)
}

function checkLines(python) {
  // Not in its folder, where Python would take types.py for its own module of that name.
  const modules = readdirSync(join(source, 'src/fauxgate'))
    .filter((name) => name.endsWith('.py') && name !== 'types.py')
    .map((name) => join('src/fauxgate', name))
  const lines = Number(run(source, python, '-c', COUNT, ...modules))
  check(`it has ${lines} lines of code, at most ${MOST_LINES_OF_CODE}`, lines <= MOST_LINES_OF_CODE)
}

/** Builds the wheel and the source distribution, checks their files, and installs the wheel. */
function build(folder, python) {
  const names = run(source, python, '-c', BUILD, folder).trim().split(' ')
  const [wheel, sdist] = names.map((name) => join(folder, name))
  const [inWheel, inSource] = run(folder, python, '-c', LIST, wheel, sdist).trim().split('\n')
  const modules = inWheel.split(' ').filter((name) => name.startsWith('fauxgate/'))
  check(`its wheel has ${modules.length} files, with its types`, modules.includes('fauxgate/py.typed'))
  check('its source distribution has the tests', /tests\/test_plugin\.py/.test(inSource))
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check']
  run(folder, python, ...pip, 'wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', 'again', sdist)
  const [again] = run(folder, python, '-c', LIST, join(folder, 'again', names[0]))
    .trim()
    .split('\n')
  check('its source distribution makes the same wheel', again === inWheel)
  run(folder, python, ...pip, 'install', '--no-deps', wheel)
}

/** Runs a program of Python without the variables of this script, and returns its output. Throws with its output. */
function runPython(cwd, python, variables, ...args) {
  const { status, stdout, stderr } = spawnSync(python, args, { cwd, encoding: 'utf8', env: { ...env, ...variables } })
  if (status !== 0) throw new Error(`${args.join(' ')} failed.\n${stdout}${stderr}`)
  return stdout
}

/** Calls with a misspelt field, which mypy must find. */
const MISSPELT = `from fauxgate import Gateway


def use(gateway: Gateway) -> None:
    gateway.fault(opration="reserved_domains.create", status=503)
    gateway.create(paln="free")
    gateway.requests(operatoin="reserved_domains.create")
    gateway.survives(print, fualts=2)
    gateway.sent_events(tpye="vault_created.v0")
    gateway.clear_dns(nmae="app.example.com")
    gateway.clear_faults(di="fault_1")
    gateway.clear_script(doman="app.example.com")
    gateway.script("DNS_EROR", "ERR_NGROK_26014")
    gateway.set_dns("app.example.com", "CNAM")
    gateway.dns()[0]["valeu"]
    gateway.sent_events()[0]["objekt"]
    gateway.declare()["tunel_session"]
    gateway.attempt("app.example.com")["certifcate"]
    gateway.renew("app.example.com")["certifcate"]
    gateway.expire("app.example.com")["certifcate"]
    gateway.requests()[0]["opration"]
    gateway.faults()[0]["hist"]
    gateway.timeline("app.example.com")[0]["outcom"]
    gateway.wait_for_request()["untill"]
    gateway.visit("https://app.example.com")["boddy"]
`

function checkTypes(folder, python) {
  runPython(source, python, {}, '-m', 'mypy', '--cache-dir', join(folder, 'types'))
  runPython(join(folder, 'project'), python, {}, '-m', 'mypy', '--strict', 'test_project.py')
  check('its types are strict, and reach the tests of a user', true)
  writeFileSync(join(folder, 'project/misspelt.py'), MISSPELT)
  const { status, stdout } = spawnSync(python, ['-m', 'mypy', '--strict', 'misspelt.py'], {
    cwd: join(folder, 'project'),
    encoding: 'utf8',
    env,
  })
  const misspelt = stdout.match(/Unexpected keyword argument "\w+"/g)
  check(
    `mypy finds ${misspelt?.length} misspelt fields of faults, options and filters`,
    status === 1 && misspelt?.length === 8,
  )
  check('mypy finds a misspelt outcome', /Argument 1 to "script" of "Gateway" has incompatible type/.test(stdout))
  check('mypy finds a misspelt type of a record', /Argument 2 to "set_dns" of "Gateway"/.test(stdout))
  const keys = stdout.match(/TypedDict "\w+" has no key "\w+"/g)
  check(`mypy finds ${keys?.length} misspelt fields of responses`, keys?.length === 11)
}

/** Runs the tests of a project with the npm package in node_modules, and prints what the fixture takes. */
function checkProject(folder, python) {
  const project = join(folder, 'project')
  runPython(project, python, {}, '-m', 'pytest', '-q', '--junit-xml', 'result.xml')
  const times = [...readFileSync(join(project, 'result.xml'), 'utf8').matchAll(/<testcase [^>]*time="([\d.]+)"/g)]
  const [first, ...others] = times.map(([, seconds]) => seconds * 1000)
  const median = others.sort((a, b) => a - b)[(others.length / 2) | 0]
  check(`a project finds node_modules: ${Math.round(first)} ms to start, ${median.toFixed(1)} ms for each test`, median)
}

/** Runs the test and the program of the package's README. */
function checkReadme(folder, python) {
  const project = join(folder, 'project')
  const [test, program] = [...read('languages/python/README.md').matchAll(/^```python\n([\s\S]*?)^```/gm)]
  writeFileSync(join(project, 'test_readme.py'), test[1])
  runPython(project, python, {}, '-m', 'pytest', '-q', 'test_readme.py')
  const output = runPython(project, python, {}, '-c', program[1])
  check('its README works, with pytest and without', /^http:\/\/127\.0\.0\.1:\d+\/g\/\w+\n$/.test(output))
}

checkVersion()
await inFolder((folder) => {
  const python = createEnvironment(folder)
  if (!python) return
  checkLines(python)
  build(folder, python)
  mkdirSync(join(folder, 'project/node_modules'), { recursive: true })
  symlinkSync(root, join(folder, 'project/node_modules/fauxgate'), 'junction')
  writeFileSync(join(folder, 'project/test_project.py'), PROJECT)
  checkTypes(folder, python)
  checkProject(folder, python)
  checkReadme(folder, python)
  const options = ['-q', '-p', 'no:cacheprovider', '--basetemp', join(folder, 'tests')]
  const output = runPython(folder, python, checkout, '-B', '-m', 'pytest', ...options, join(source, 'tests'))
  check(`its tests: ${output.trim().split('\n').at(-1)}`, true)
})
