import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { createGateway, type Gateway, manualClock, ngrok, standard } from '../../src/index.ts'
import { allCommands } from '../../src/server/commands/all.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').replace(/\s+/g, ' ')

describe('docs/ngrok.md', () => {
  test('names the field of each list that has another name than its family', () => {
    const gateway = createNgrok()
    const fields = Object.entries(gateway).flatMap(([family, { list }]) => {
      if (typeof list !== 'function') return []
      // One needs an id, and the other is no family.
      if (family === 'eventSources') return ['sources of eventSources']
      if (family === 'sentEvents') return []
      const [field = ''] = Object.keys(list()).filter((name) => name !== 'uri' && name !== 'next_page_uri')
      const snake = family.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
      return field === snake ? [] : [family.endsWith('Backends') ? field : `${field} of ${family}`]
    })
    const sentence = /Some fields have another name: (.*?)\./.exec(read('docs/ngrok.md'))?.[1] ?? ''
    const named = sentence
      .replaceAll('`', '')
      .replace(' in all families of backends', '')
      .split(/, | and /)
    expect(named.toSorted()).toEqual([...new Set(fields)].toSorted())
  })
})

test('docs/standard.md says that both dialects number errors alike, and where their statuses differ', () => {
  const [ours, theirs] = [openApi(standard), openApi(ngrok, { families: ngrokFamilies })].map(
    ({ components }) => components.examples,
  )
  const errors = Object.entries(ours ?? {}).map(([key, { value }]) => ({ key, value, other: theirs?.[key]?.value }))
  const numberOf = (code?: string) => code?.replace(/^\D+/, '')
  expect(errors.filter(({ value, other }) => numberOf(value.error_code) !== numberOf(other?.error_code))).toEqual([])
  const others = errors.filter(({ value, other }) => value.status_code !== other?.status_code).map(({ key }) => key)
  expect(others.toSorted()).toEqual(['auth_invalid', 'auth_missing', 'auth_unparsable', 'domain_taken'])
  expect(read('docs/standard.md')).toContain('Its status is the same too, except for the two kinds above.')
})

describe('The status of a name that is reserved already', () => {
  const headers = {
    authorization: 'Bearer k',
    'content-type': 'application/json',
    'ngrok-version': '2',
    'service-version': '2',
  }
  const statusOf = async (gateway: Gateway) => {
    const init = { method: 'POST', headers, body: '{"domain":"app.example.com"}' }
    await gateway.fetch(`${gateway.url}/reserved_domains`, init)
    return (await gateway.fetch(`${gateway.url}/reserved_domains`, init)).status
  }

  test('is the same on each page that has it', async () => {
    const ngrok = await statusOf(createNgrok())
    const standard = await statusOf(createGateway())
    expect(read('docs/options.md')).toContain(
      `${ngrok} in the dialect \`ngrok\`, as observed at ngrok, and ${standard} in`,
    )
    expect(read('docs/from-msw.md')).toContain(
      `Programs met ${ngrok} at ngrok, and \`createNgrok\` responds with ${ngrok}.`,
    )
    expect(read('docs/differences.md')).toContain(
      `fauxgate returns ${ngrok} in \`ngrok\`; \`quirks.takenStatus\` lets a test try both.`,
    )
    expect(read('docs/standard.md')).toContain(`| a name that is reserved already | ${ngrok} | ${standard} |`)
  })
})

test('docs/traffic.md has the default ports of fauxgate http', () => {
  const { flags } = allCommands.find(({ name }) => name === 'http') ?? { flags: [] }
  const portOf = (flag: string) => flags.find((each) => each.flag === flag)?.sentence.match(/Default: (\d+)\.$/)?.[1]
  const page = read('docs/traffic.md')
  expect(page).toContain(`| ${portOf('traffic')}, or the next free one | visitors of the endpoint, with HTTP |`)
  expect(page).toContain(`| ${portOf('traffic-tls')}, or the next free one | visitors of the endpoint, with TLS |`)
  expect(page).toContain(`| ${portOf('agent')}, or the next free one | the [API of the agent]`)
  expect(page).toContain(`| ${portOf('port')} | ngrok's API, the controls and the inspector |`)
})

test('docs/concepts.md says which leftovers there are: all, and those that requests created', async () => {
  const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z'), initial: { reservedAddrs: [{}] } })
  gateway.reservedAddrs.create()
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json', 'ngrok-version': '2' }
  await gateway.fetch(`${gateway.url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })
  expect(gateway.leftovers()).toHaveLength(2)
  expect(gateway.leftovers({ ofTest: false })).toHaveLength(1)
  expect(read('docs/concepts.md')).toContain(
    '`gateway.leftovers()` lists them, and `toHaveNoLeftovers` counts those that requests created.',
  )
})

describe('The way to the first own test', () => {
  const countWords = (text: string) => text.split(/\s+/).length

  test('is one page of at most 1,200 words after README.md, and ends with the code of the reader', () => {
    const page = readFileSync(new URL('../../docs/getting-started.md', import.meta.url), 'utf8')
    expect(countWords(page)).toBeLessThanOrEqual(1200)
    expect(read('docs/README.md')).toContain('Begin with [Your first test](getting-started.md)')
    expect(read('README.md')).toContain('[Your first test][docs/getting-started.md]')
    expect(page.split(/^## /m).at(-1)).toContain('replace `sites.ts` with your own module')
  })
})

test('The guides of the package have at most 29,000 words that people wrote', () => {
  const { files } = JSON.parse(read('package.json'))
  const guides = readdirSync(new URL('../../docs', import.meta.url)).filter((name) => name.endsWith('.md'))
  const pages = ['README.md', ...guides.map((name) => `docs/${name}`).filter((path) => !files.includes(`!${path}`))]
  const written = pages
    .filter((path) => !path.endsWith('reference.md'))
    .map((path) => read(path).replace(/<!-- ([a-z ]+): npm run generate -->.*?<!-- end of \1 -->/g, ''))
  const words = written.join(' ').match(/\S*[\p{L}\p{N}]\S*/gu) ?? []
  expect(words.length).toBeGreaterThan(20_000)
  expect(words.length).toBeLessThanOrEqual(29_000)
})
