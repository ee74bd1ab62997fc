import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { anchorOf } from '../../scripts/generate/markdown.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Returns a function that remembers what it has returned for each path. */
function memoize<T>(create: (path: string) => T): (path: string) => T {
  const values = new Map<string, T>()
  return (path) => {
    const value = values.get(path) ?? create(path)
    values.set(path, value)
    return value
  }
}

const read = memoize((path) => readFileSync(join(root, path), 'utf8'))

const homepage: string = JSON.parse(read('package.json')).homepage
const repositoryUrl = homepage.replace(/#readme$/, '')
const rawUrl = repositoryUrl.replace('github.com', 'raw.githubusercontent.com')

/** Returns the files in some folders, as paths from the root of the repository. */
function listFiles(...folders: readonly string[]): string[] {
  const entries = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  const files = entries.filter((entry) => entry.isFile())
  const paths = files.map((entry) => relative(root, join(entry.parentPath, entry.name)))
  return paths.filter((path) => !path.includes('node_modules'))
}

/** Commands make these, and Git ignores them: a link to one would be dead on GitHub. */
const BUILT = ['docs/reference.md', 'docs/policy-reference.md', 'docs/evidence-reference.md']

const topDocuments = readdirSync(root).filter((name) => name.endsWith('.md'))
const documents = [
  ...topDocuments,
  '.github/SECURITY.md',
  ...listFiles('docs', 'languages').filter((path) => path.endsWith('.md') && !BUILT.includes(path)),
]
const { files }: { files: string[] } = JSON.parse(read('package.json'))
/** The documents that the package has, without those that `npm pack` makes. */
const packed = documents.filter((path) => /^(?:docs\/[^/]+|README)\.md$/.test(path) && !files.includes(`!${path}`))
const sources = [...listFiles('src', 'test', 'examples', 'scripts', 'tools'), ...documents]

/** Returns the anchors of a document, as GitHub derives them from headings. A repeated heading gets a number. */
const anchorsOf = memoize((path): ReadonlySet<string> => {
  const prose = read(path).replace(/^```[\s\S]*?^```/gm, '')
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map((match) => match[1] as string)
  const seen = new Map<string, number>()
  const anchors = headings.map(anchorOf).map((anchor) => {
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
  return new Set(anchors)
})

/** Returns the links of a document, each with its line. */
function listLinks(path: string) {
  const prose = read(path).replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ' '))
  const links = [...prose.matchAll(/\]\(([^()\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)]
  return links.map((match) => ({ link: match[1] ?? (match[2] as string), line: lineOf(prose, match.index) }))
}

const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length

/** Returns the file and the anchor that a link leads to; undefined for other sites. */
function resolveLink(from: string, link: string): { path: string; anchor: string | undefined } | undefined {
  const own = link.replace(new RegExp(`^(?:${repositoryUrl}/(?:blob|tree)|${rawUrl})/main/`), '/')
  if (/^[a-z]+:/.test(own)) return undefined
  const [file = '', anchor] = own.split('#')
  if (file === '') return { path: from, anchor }
  return { path: file.startsWith('/') ? file.slice(1) : join(dirname(from), file), anchor }
}

describe('Links', () => {
  test.each(documents)('of %s lead to existing files and headings', (document) => {
    const broken = listLinks(document).filter(({ link }) => {
      const target = resolveLink(document, link)
      if (!target) return false
      const isThere = existsSync(join(root, target.path)) && !BUILT.includes(target.path)
      return !isThere || (target.anchor !== undefined && !anchorsOf(target.path).has(target.anchor))
    })
    expect(broken).toEqual([])
  })

  test('and names of files in documents name existing files', () => {
    const own = documents.filter((path) => path !== 'CHANGELOG.md')
    const names = own.flatMap((path) =>
      [...read(path).matchAll(/`((?:src|test|docs|scripts|tools|examples|\.ci)\/[\w./-]*)`/g)].map((match) => ({
        file: match[1] as string,
        at: `${path}:${lineOf(read(path), match.index)}`,
      })),
    )
    expect(names.filter(({ file }) => !existsSync(join(root, file)) && !BUILT.includes(file))).toEqual([])
  })

  test('in the package are relative if the package has the file, and lead to GitHub if it does not', () => {
    const wrong = packed.flatMap((path) => {
      const own = listLinks(path).flatMap(({ link, line }) => {
        const target = resolveLink(path, link)
        return target ? [{ link, line, isWrong: packed.includes(target.path) === /^[a-z]+:/.test(link) }] : []
      })
      return own.filter(({ isWrong }) => isWrong).map(({ link, line }) => `${path}:${line}: ${link}`)
    })
    expect(wrong).toEqual([])
  })

  test('that lead out of the package lead to files that are not in it, as the index says', () => {
    const outside = packed.flatMap((path) =>
      listLinks(path).flatMap(({ link }) => (/^https/.test(link) ? (resolveLink(path, link)?.path ?? []) : [])),
    )
    expect(outside.length).toBeGreaterThan(30)
    expect(outside.filter((path) => packed.includes(path))).toEqual([])
    expect(read('docs/README.md')).toContain("Links to github.com point to files that aren't in the package.")
  })

  test('of the package’s guides lead to the index of the decisions, and to no single one', () => {
    const guides = packed.filter((path) => path !== 'README.md')
    const decisions = guides.flatMap((path) => listLinks(path).filter(({ link }) => link.includes('docs/decisions/')))
    const index = `${repositoryUrl}/blob/main/docs/decisions/README.md`
    expect(new Set(decisions.map(({ link }) => link))).toEqual(new Set([index]))
  })
})

test('Every promise of SECURITY.md names the test that checks it, or says that no test does', () => {
  const rows = read('.github/SECURITY.md').match(/^\| (?!promise |resource |---).*\|$/gm) ?? []
  expect(rows.length).toBeGreaterThan(30)
  const without = rows.filter((row) => !/`test\/[\w./-]+\.test\.ts` \|$/.test(row))
  expect(without).toEqual([expect.stringContaining('time is not asserted in tests')])
})

test('No page, example or action runs a package of the name fauxgate from npm or PyPI, which is not ours yet', () => {
  const own = documents.filter((path) => !/^docs\/(?:decisions|api)\//.test(path))
  const lines = [...own, 'llms.txt', 'action.yml', ...listFiles('examples', 'languages')].flatMap(listLines)
  const foreign =
    /npx (?:--yes|-y)\b|(?:npm (?:install|i|add)|pnpm add|yarn add|bun add|pip install)(?: -\S+)* '?"?fauxgate\b|(?:npm|--yes|-y).*"fauxgate@|unpkg\.com\/fauxgate/
  expect(lines.filter(({ text }) => foreign.test(text))).toEqual([])
})

test('Pages that run fauxgate with npx have the reader install it first, since npx would run a package of that name from npm', () => {
  const own = documents.filter((path) => !/^docs\/(?:decisions|api)\//.test(path))
  const wrong = [...own, 'llms.txt', 'action.yml', ...listFiles('examples', 'languages', 'src/inspector')].flatMap(
    (path) => {
      const at = read(path).search(/\bnpx fauxgate\b/)
      const isInstalled = /fauxgate-[\d.]+\.tgz|getting-started\.md#install\)/.test(read(path).slice(0, at))
      return at === -1 || isInstalled ? [] : [`${path}:${lineOf(read(path), at)}`]
    },
  )
  expect(wrong).toEqual([])
})

test('Commands with npx --no have -- before fauxgate, since npx takes flags right after the name for its own', () => {
  const own = documents.filter((path) => !/^docs\/(?:decisions|api)\//.test(path))
  const lines = [...own, 'llms.txt', 'action.yml', ...listFiles('examples', 'languages', 'src')].flatMap(listLines)
  const found = lines.filter(({ text }) => /npx --no\b|"npx", |npx, "--no"/.test(text))
  expect(found.length).toBeGreaterThan(10)
  const isWrong = (text: string) => /npx --no (?!-- )(?=fauxgate)|"--no", (?!"--", )/.test(text)
  expect(found.filter(({ text }) => isWrong(text))).toEqual([])
})

test('Examples use the package alone, so that they can be copied: nothing from src/ or test/', () => {
  const examples = listFiles('examples').filter((path) => /\.\.\/(?:src|test|dist|scripts)\//.test(read(path)))
  expect(examples).toEqual([])
})

/** Returns the lines of a file, each with its place. */
const listLines = (path: string) =>
  read(path)
    .split('\n')
    .map((text, index) => ({ at: `${path}:${index + 1}`, text }))

/** A citation of a rule, such as `rules: lists#paging, ids#order`. */
const CITATION = /\brules?: '?([a-z-]+#[a-z0-9-]+(?:, [a-z-]+#[a-z0-9-]+)*)/g

describe('Rules', () => {
  const citations = sources.flatMap((path) => {
    const text = read(path)
    return [...text.matchAll(CITATION)].flatMap((match) =>
      (match[1] as string).split(', ').map((rule) => ({ rule, at: `${path}:${lineOf(text, match.index)}` })),
    )
  })

  test('that code, tests and documents cite exist', () => {
    const broken = citations.filter(({ rule }) => {
      const [page, anchor] = rule.split('#') as [string, string]
      const path = `docs/decisions/${page}.md`
      return !existsSync(join(root, path)) || !anchorsOf(path).has(anchor)
    })
    expect(broken).toEqual([])
  })

  test('are cited by page and heading, never by outside documents', () => {
    const elsewhere =
      /\bservice document(?!s\b)|\b(?:decisions|service|design)\.md\b|(?<!\])\(errors\.md[,:;)]|\((?:decisions|design)[,:)]/
    const self = relative(root, fileURLToPath(import.meta.url))
    // These show the service document itself, each of whose statements has a test.
    const showing = [
      self,
      'README.md',
      'docs/standard.md',
      'scripts/generate/standard.ts',
      'test/service/document.test.ts',
      'tools/evidence/service-document.yaml',
    ]
    const others = sources.filter((path) => !showing.includes(path) && !/^docs\/(?:decisions|api)\//.test(path))
    const lines = others.flatMap(listLines)
    expect(lines.filter(({ text }) => elsewhere.test(text))).toEqual([])
  })

  test('are on pages that the index lists', () => {
    const pages = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md')
    const listed = new Set(listLinks('docs/decisions/README.md').map(({ link }) => link.split('#')[0]))
    expect(pages.filter((page) => !listed.has(page))).toEqual([])
  })

  test('are on pages that name their sources', () => {
    const pages = listFiles('docs/decisions').filter((path) => !path.endsWith('README.md'))
    expect(pages.filter((path) => !/^Sources: /m.test(read(path)))).toEqual([])
  })
})
